import Dispatch

extension Thenable {
    /// Uses the value, at the end of a chain.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the value.
    /// - Returns: a promise for `body` having run: follow it with `catch`.
    /// - Rejects: with the error that came down the chain, which skips `body`; with what `body` throws.
    /// - Cancellation: passes up to this promise.
    @inlinable public func done(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.values, .end]) { next in
            promise._pass(to: next) { next, value in next._fulfill(try body(value)) }
        }
    }

    /// Looks at the value as it passes by.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the value.
    /// - Returns: a promise for the same value.
    /// - Rejects: with the error that came down the chain, which skips `body`; with what `body` throws.
    /// - Cancellation: passes up to this promise.
    @inlinable public func get(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { (next: Promise<T>, value) in
                try body(value)
                next._fulfill(value)
            }
        }
    }

    /// Looks at the outcome as it passes by.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the value or the error. Seeing an error here does not handle it.
    /// - Returns: a promise for the same outcome.
    /// - Cancellation: passes up to this promise.
    @inlinable public func tap(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .outcomes) { next in
            promise._hand(to: next) { (next: Promise<T>, outcome) in
                body(outcome)
                next._settle(as: outcome)
            }
        }
    }
}
