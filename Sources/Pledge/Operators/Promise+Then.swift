import Dispatch

extension Thenable {
    /// Continues with the promise that `body` returns for the value.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `body` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - body: A closure that returns the promise to continue with.
    /// - Returns: A promise that settles in the same way as the one that `body` returns.
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
    /// A form of its own: with two forms to choose from, the compiler finds the types of the chain before it looks into the
    /// closure, and blames what is mistaken in it.
    @_disfavoredOverload @inlinable public func then<V, U: Thenable<V>>(
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: .configured, body) }
}
