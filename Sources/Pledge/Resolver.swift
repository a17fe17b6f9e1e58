/// The write end of a promise, with which you fulfill or reject the promise. Only the first call has an effect. You can
/// use a resolver from any thread.
///
/// If the last reference to a resolver is released before the resolver was used, its promise rejects, so that nothing
/// waits forever:
///
/// - Normally, the promise rejects with ``PromiseError/dropped(file:line:)``.
/// - If the resolver is released because the work that it waited for was canceled, the promise rejects with
///   ``PromiseError/cancelled``.
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
        // If the promise belongs to a guarantee, this is logged. The promise is still rejected below, so that nothing
        // waits for it forever.
        if promise.storage.withState({ $0.has(.guarantee) }) {
            PromiseConfiguration.log(.guaranteeDropped(file: file, line: line))
        }
        let isCancelled = PromiseStorage.isPassingCancel
        promise.storage.reject(isCancelled ? PromiseError.cancelled : .dropped(file: file, line: line))
    }

    /// Whether a call of this resolver can still take effect: the promise is pending and doesn't follow another
    /// promise. Another thread may settle the promise at any time after this check.
    @usableFromInline var isOpen: Bool { promise.storage.withState { $0.phase == .pending && $0.source == nil } }

    /// Fulfills the promise with a value.
    @inlinable public func fulfill(_ value: T) { if isOpen { promise.storage.fulfill(value) } }

    /// Rejects the promise with an error.
    @inlinable public func reject(_ error: any Error) { if isOpen { promise.storage.reject(error) } }

    /// Settles the promise in the same way as a result: fulfills it with the value, or rejects it with the error.
    public func resolve<Failure: Error>(_ result: Result<T, Failure>) { resolve(result.mapError { $0 as any Error }) }

    /// Settles the promise in the same way as a result whose error may be of any type.
    ///
    /// The generic method would accept such a result, too, but it would wrap the error in a new box each time.
    public func resolve(_ result: Result<T, any Error>) { if isOpen { promise.storage.settle(as: result) } }

    /// Settles the promise with the arguments of a completion handler. If there is an error, the promise rejects, even
    /// if there is a value, too. If both are nil, it rejects with ``PromiseError/invalidCallingConvention``.
    public func resolve(_ value: T?, _ error: (any Error)?) {
        if let value, error == nil { fulfill(value) } else { reject(error ?? PromiseError.invalidCallingConvention) }
    }

    /// Settles the promise with the arguments of a completion handler whose first argument is the error. If there is an
    /// error, the promise rejects, even if there is a value, too.
    public func resolve(_ error: (any Error)?, _ value: T?) { resolve(value, error) }

    /// Settles the promise with the arguments of a completion handler that always passes a value. If there is an error,
    /// the promise rejects.
    public func resolve(_ value: T, _ error: (any Error)?) { resolve(Optional(value), error) }

    /// Makes the resolver's promise settle in the same way as another promise. Cancellation works in both directions:
    ///
    /// - If the resolver's promise is canceled, before or after this call, the other promise is canceled, too, unless
    ///   something else waits for it.
    /// - If the other promise is canceled, the resolver's promise is canceled, too.
    public func follow<U: Thenable<T>>(_ other: U) {
        let (own, other) = (promise.storage, other._promise)
        guard own.withState({ $0.beginWaiting(for: other.storage) }) else {
            return own.isCancelled ? other.storage.cancel(unlessAwaited: true) : ()
        }
        guard other.storage !== own else { return own.refuseItself() }
        own.subscribe(to: other.storage) { own in
            // Cancels the promise instead of rejecting it, so that its cancel hooks run.
            if let error = other.storage.failure, error.isCancelled { return own.cancel(with: error) }
            own.typed(T.self).settle(as: other._outcome)
        }
    }

    /// Whether the promise was canceled. If so, you can stop the work for it, because nobody needs the value any more.
    public var isCancelled: Bool { promise.storage.isCancelled }

    #if compiler(>=6.2)
        /// Sets a closure that stops the underlying work if the promise is canceled.
        ///
        /// The closure runs on the thread that cancels, so don't cancel while you hold a lock that the closure needs.
        /// If the promise was already canceled, the closure runs immediately. It runs only once, and never after the
        /// promise has settled in another way.
        ///
        /// The closure must not retain this resolver, unless something else is sure to settle the promise. Otherwise
        /// the closure and the resolver keep each other alive.
        public func onCancel(_ stop: sending @escaping () -> Void) { promise.storage.onCancel { _ in stop() } }
    #else
        // Compilers before 6.2 treat a closure in main-actor code as isolated to the main actor, unless its type is
        // `@Sendable`.
        public func onCancel(_ stop: @escaping @Sendable () -> Void) { promise.storage.onCancel { _ in stop() } }
    #endif
}

extension Resolver where T == Void {
    /// Fulfills a promise without a value.
    public func fulfill() { fulfill(()) }

    /// Settles the promise with the argument of a completion handler that has no value: rejects it if there is an
    /// error, and otherwise fulfills it.
    public func resolve(_ error: (any Error)?) { resolve((), error) }
}
