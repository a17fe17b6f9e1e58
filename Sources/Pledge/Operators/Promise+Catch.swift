import Dispatch

extension Thenable {
    /// Handles the error a chain ends with.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - policy: whether `body` is called for cancellation too. It is not by default, which is easily forgotten:
    ///     put what must always happen into `ensure` or `finally`.
    ///   - body: gets the error.
    /// - Returns: a promise that is fulfilled when the chain has ended, with or without an error: follow it with
    ///   ``Promise/finally(on:flags:_:)`` if you like.
    /// - Cancellation: passes up to this promise.
    @inlinable
    @discardableResult
    public func `catch`(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> {
        let next = Promise<Void>(role: [.values, .rejections, .returns]) { handler, source in
            if let error = source.failure, policy == .allErrors || !error.isCancelled { body(error) }
            unsafeDowncast(handler, to: Promise<Void>.self)._fulfill(())
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }

    /// Handles errors of one type; others go on to the next `catch`.
    ///
    /// - Parameters:
    ///   - only: the type.
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - policy: whether `body` is called for cancellation too.
    ///   - body: gets the error.
    /// - Returns: a promise that is fulfilled with a value or a handled error, and rejected with any other.
    /// - Cancellation: passes up to this promise.
    @inlinable
    public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, policy == .allErrors || !error.isCancelled else { return false }
            body(error)
            return true
        }
    }

    /// Handles one error; others go on to the next `catch`.
    ///
    /// - Parameters:
    ///   - only: the error, cancellation included.
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the error.
    /// - Returns: a promise that is fulfilled with a value or the handled error, and rejected with any other.
    /// - Cancellation: passes up to this promise.
    @inlinable
    public func `catch`<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, error == wanted else { return false }
            body(error)
            return true
        }
    }

    @inlinable
    func handle(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ attempt: @escaping @Sendable (any Error) -> Bool
    ) -> Promise<Void> {
        let next = Promise<Void>(role: [.values, .rejections, .returns]) { handler, source in
            let next = unsafeDowncast(handler, to: Promise<Void>.self)
            if let error = source.failure, !attempt(error) {
                next._reject(error)
            } else {
                next._fulfill(())
            }
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }

    /// Ends a chain without a `catch`: an error is told to the log handler.
    ///
    /// - Returns: a promise that is fulfilled when the chain has ended.
    @discardableResult
    public func cauterize() -> Promise<Void> {
        `catch` { PromiseConfiguration.log(.cauterized($0)) }
    }
}
