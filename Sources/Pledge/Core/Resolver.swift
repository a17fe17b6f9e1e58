/// The write end of a promise. The first call counts; later ones do nothing.
///
/// Safe to use from any thread. Letting the last reference go without a call rejects the promise with
/// ``PromiseError/dropped(file:line:)``, so that nobody waits for ever.
public final class Resolver<T: Sendable>: Sendable {
    @usableFromInline let promise: Promise<T>
    @usableFromInline let file: StaticString
    @usableFromInline let line: UInt32

    @inlinable init(_ promise: Promise<T>, file: StaticString, line: UInt) {
        self.promise = promise
        self.file = file
        self.line = UInt32(clamping: line)
    }

    deinit {
        guard promise._isPending else { return }
        let (file, line) = ("\(file)", UInt(line))
        // A guarantee is rejected as well, so that nothing waits for it for ever.
        if promise.withState({ $0.has(.outlivesCancel) }) {
            PromiseConfiguration.log(.guaranteeDropped(file: file, line: line))
        }
        promise._reject(PromiseError.dropped(file: file, line: line))
    }

    /// Fulfills the promise with a value.
    @inlinable public func fulfill(_ value: T) { promise._fulfill(value) }

    /// Rejects the promise with an error.
    @inlinable public func reject(_ error: any Error) { promise._reject(error) }

    /// Settles the promise with a result.
    public func resolve<Failure: Error>(_ result: Result<T, Failure>) {
        promise._settle(as: result.mapError { $0 })
    }

    /// Settles the promise from a completion handler's pair: an error wins over a value.
    ///
    /// - Rejects: with ``PromiseError/invalidCallingConvention`` when both are nil.
    public func resolve(_ value: T?, _ error: (any Error)?) {
        if let value, error == nil { fulfill(value) } else { reject(error ?? PromiseError.invalidCallingConvention) }
    }

    /// Settles the promise from a completion handler that puts the error first.
    ///
    /// - Rejects: with ``PromiseError/invalidCallingConvention`` when both are nil.
    public func resolve(_ error: (any Error)?, _ value: T?) { resolve(value, error) }

    /// Settles the promise from a completion handler whose value is always there: an error, if any, wins.
    public func resolve(_ value: T, _ error: (any Error)?) { resolve(Optional(value), error) }

    /// What to do when the promise is cancelled: stop the work behind it.
    ///
    /// Do not let `stop` hold this resolver unless something else is sure to settle it: the two would keep each other
    /// alive. Runs once, in the thread that cancels, so not under a lock of one's own; at once if the promise was cancelled
    /// before; never after it has settled.
    public func onCancel(_ stop: @escaping @Sendable () -> Void) { promise.onCancel { _ in stop() } }
}

extension Resolver where T == Void {
    /// Fulfills a promise of nothing.
    public func fulfill() { fulfill(()) }

    /// Settles the promise from a completion handler that has only an error to tell.
    public func resolve(_ error: (any Error)?) { resolve((), error) }
}
