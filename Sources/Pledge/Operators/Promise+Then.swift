import Dispatch

extension Thenable {
    /// Continues with another promise, made from the value.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - body: returns the promise to go on with.
    /// - Returns: a promise that settles as the one `body` returns.
    /// - Rejects: with the error that came down the chain, which skips `body`; with what `body` throws or its promise
    ///   rejects with; with ``PromiseError/returnedSelf`` when that is the promise returned here.
    /// - Cancellation: passes up to this promise, or, once `body` has run, to the promise it returned.
    @inlinable public func then<U: Thenable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U.T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { next, value in next._follow(try body(value)._promise) }
        }
    }
}
