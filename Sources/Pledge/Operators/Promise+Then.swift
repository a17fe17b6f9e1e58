import Dispatch

extension Thenable {
    /// Continues with the promise that `body` returns for the value: the result settles in the same way.
    ///
    /// `body` runs on the queue, as the closure of ``map(on:flags:_:)`` does.
    ///
    /// - Rejects: With this promise's error, without calling `body`; with any error that `body` throws or its promise
    ///   rejects with; with ``PromiseError/returnedSelf`` if `body` returns the very promise returned here.
    /// - Cancellation: Propagates to this promise or, once `body` has run, to the promise it returned.
    @_disfavoredOverload @inlinable public func then<V, U: Thenable<V>>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { next, value in next.follow(try body(value)._promise) }
        }
    }

    /// Continues with the promise that `body` returns for the value, on the default queue; see ``then(on:flags:_:)``.
    ///
    /// A form of its own: with two to choose from, the compiler finds the types of the chain before it checks the
    /// closure, and reports mistakes where they are, inside it.
    @_disfavoredOverload @inlinable public func then<V, U: Thenable<V>>(
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: .configured, body) }
}
