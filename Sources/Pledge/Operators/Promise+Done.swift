import Dispatch

extension Thenable {
    /// Calls `body` with the value, at the end of a chain, on the queue, as ``map(on:flags:_:)`` calls its closure.
    ///
    /// - Returns: A promise that is fulfilled once `body` has run. Follow it with `catch`.
    @_disfavoredOverload @inlinable public func done(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.values, .end]) { next in
            promise._pass(to: next) { next, value in next.fulfill(try body(value)) }
        }
    }

    /// Calls `body` with the value, as ``done(on:flags:_:)`` does, then passes the value on.
    @_disfavoredOverload @inlinable public func get(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { (next: ValueStorage<T?>, value) in
                try body(value)
                next.fulfill(value)
            }
        }
    }

    /// Calls `body` with the outcome, then passes the outcome on. Receiving an error this way doesn't handle it.
    @_disfavoredOverload @inlinable public func tap(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .outcomes) { next in
            promise._hand(to: next) { (next: ValueStorage<T?>, outcome) in
                body(outcome)
                next.settle(as: outcome)
            }
        }
    }
}
