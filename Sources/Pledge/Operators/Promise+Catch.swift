import Dispatch

extension Thenable {
    /// Handles the error a chain ends with.
    ///
    /// `body` runs on the queue, as the closure of ``map(on:flags:_:)`` does. The policy says whether cancellation
    /// counts as an error. By default it doesn't, which is easily forgotten: put what must always run into `ensure` or
    /// `finally`.
    ///
    /// - Returns: A promise that is fulfilled when the chain has ended, with or without an error.
    @_disfavoredOverload @inlinable @discardableResult public func `catch`(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            if policy == .allErrors || !error.isCancelled { body(error) } else { PromiseStorage.passCancel() }
            return true
        }
    }

    /// Handles errors of one type. Other errors reject the returned promise, for the next `catch`.
    @_disfavoredOverload @inlinable public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, policy == .allErrors || !error.isCancelled else { return false }
            body(error)
            return true
        }
    }

    /// Handles one error, including cancellation. Other errors reject the returned promise, for the next `catch`.
    @_disfavoredOverload @inlinable public func `catch`<E: Error & Equatable>(
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
            promise._hand(to: next) { (next: ValueStorage<Void?>, outcome) in
                if case .failure(let error) = outcome, !attempt(error) { throw error }
                next.fulfill(())
            }
        }
    }

    /// Ends a chain without a `catch`. An error is reported to the log handler.
    @discardableResult public func cauterize() -> Promise<Void> {
        `catch` { PromiseConfiguration.log(.cauterized($0)) }
    }
}
