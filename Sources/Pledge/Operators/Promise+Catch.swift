import Dispatch

extension Thenable {
    /// Handles the error a chain ends with.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - policy: whether `body` is called for cancellation too. It is not by default, which is easily forgotten:
    ///     put what must always happen into `ensure` or `finally`.
    ///   - body: gets the error.
    /// - Returns: a promise that is fulfilled when the chain has ended, with or without an error: follow it with
    ///   ``Thenable/finally(on:flags:_:)`` if you like.
    /// - Cancellation: passes up to this promise.
    @inlinable @discardableResult public func `catch`(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            if policy == .allErrors || !error.isCancelled { body(error) }
            return true
        }
    }

    /// Handles errors of one type; others go on to the next `catch`.
    ///
    /// - Returns: a promise that is fulfilled with a value or a handled error, and rejected with any other.
    @inlinable public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, policy == .allErrors || !error.isCancelled else { return false }
            body(error)
            return true
        }
    }

    /// Handles one error, be it a cancellation; others go on to the next `catch`.
    ///
    /// - Returns: a promise that is fulfilled with a value or the handled error, and rejected with any other.
    @inlinable public func `catch`<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, error == wanted else { return false }
            body(error)
            return true
        }
    }

    @inlinable func handle(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ attempt: @escaping @Sendable (any Error) -> Bool
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.errors, .end]) { next in
            promise._hand(to: next) { (next: Promise<Void>, outcome) in
                if case .failure(let error) = outcome, !attempt(error) { throw error }
                next._fulfill(())
            }
        }
    }

    /// Ends a chain without a `catch`: an error is told to the log handler.
    ///
    /// - Returns: a promise that is fulfilled when the chain has ended.
    @discardableResult public func cauterize() -> Promise<Void> {
        `catch` { PromiseConfiguration.log(.cauterized($0)) }
    }
}
