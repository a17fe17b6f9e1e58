/// The write end of a promise. Only the first call has an effect.
///
/// Safe to use from any thread. If the last reference is released before any call, the promise rejects with
/// ``PromiseError/dropped(file:line:)``, so that nothing waits forever; or as canceled, if it was released because what
/// its user waited for was canceled.
public final class Resolver<T: Sendable>: Sendable {
    @usableFromInline let promise: Promise<T>
    @usableFromInline let file: StaticString
    @usableFromInline let line: UInt32

    @inlinable init(_ promise: Promise<T>, file: StaticString, line: UInt) {
        self.promise = promise
        self.file = file
        self.line = UInt32(clamping: line)
        promise.storage.begin(file, line)
    }

    deinit {
        guard isOpen else { return }
        let (file, line) = ("\(file)", UInt(line))
        // A guarantee is rejected as well, so that nothing waits for it forever.
        if promise.storage.withState({ $0.has(.guarantee) }) {
            PromiseConfiguration.log(.guaranteeDropped(file: file, line: line))
        }
        let isCancelled = PromiseStorage.isPassingCancel
        promise.storage.reject(isCancelled ? PromiseError.cancelled : .dropped(file: file, line: line))
    }

    /// Whether this is the first call. Something else may settle the promise at the same time.
    @usableFromInline var isOpen: Bool { promise.storage.withState { $0.phase == .pending && $0.source == nil } }

    /// Fulfills the promise with a value.
    @inlinable public func fulfill(_ value: T) { if isOpen { promise.storage.fulfill(value) } }

    /// Rejects the promise with an error.
    @inlinable public func reject(_ error: any Error) { if isOpen { promise.storage.reject(error) } }

    /// Settles the promise with a result.
    public func resolve<Failure: Error>(_ result: Result<T, Failure>) { resolve(result.mapError { $0 as any Error }) }

    /// Settles the promise with a result. An overload, as the generic one would box an error anew at each hop.
    public func resolve(_ result: Result<T, any Error>) { if isOpen { promise.storage.settle(as: result) } }

    /// Settles the promise with the arguments of a completion handler. An error takes precedence over a value; if both
    /// are nil, the promise rejects with ``PromiseError/invalidCallingConvention``.
    public func resolve(_ value: T?, _ error: (any Error)?) {
        if let value, error == nil { fulfill(value) } else { reject(error ?? PromiseError.invalidCallingConvention) }
    }

    /// Settles the promise with the arguments of a completion handler that passes the error first.
    public func resolve(_ error: (any Error)?, _ value: T?) { resolve(value, error) }

    /// Settles the promise with the arguments of a completion handler that always passes a value. An error wins.
    public func resolve(_ value: T, _ error: (any Error)?) { resolve(Optional(value), error) }

    /// Settles the promise in the same way as another, whose cancellation it shares: canceling this promise, before or
    /// after this call, cancels the other unless something else waits for it. If the other was canceled, this one is.
    public func follow<U: Thenable<T>>(_ other: U) {
        let (own, other) = (promise.storage, other._promise)
        guard own.withState({ $0.follow(other.storage) }) else {
            return own.isCancelled ? other.storage.cancel(unlessAwaited: true) : ()
        }
        guard other.storage !== own else { return own.refuseItself() }
        own.subscribe(to: other.storage) { own in
            // Canceled rather than rejected, so that its hooks run.
            if let error = other.storage.failure, error.isCancelled { return own.cancel(with: error) }
            own.typed(T.self).settle(as: other._outcome)
        }
    }

    /// Whether the promise was canceled, so that work on it is in vain.
    public var isCancelled: Bool { promise.storage.isCancelled }

    #if compiler(>=6.2)
        /// Sets a closure that stops the underlying work when the promise is canceled.
        ///
        /// It runs once, on the thread that cancels: don't cancel while holding a lock it needs. It runs immediately if
        /// the promise was already canceled, and never after it has settled. It must not retain this resolver unless
        /// something else is sure to settle the promise: the two would keep each other alive.
        public func onCancel(_ stop: sending @escaping () -> Void) { promise.storage.onCancel { _ in stop() } }
    #else
        // Older compilers take a closure in main-actor code for a main-actor one unless it is Sendable.
        public func onCancel(_ stop: @escaping @Sendable () -> Void) { promise.storage.onCancel { _ in stop() } }
    #endif
}

extension Resolver where T == Void {
    /// Fulfills a promise without a value.
    public func fulfill() { fulfill(()) }

    /// Settles the promise with the argument of a completion handler that only reports an error.
    public func resolve(_ error: (any Error)?) { resolve((), error) }
}
