import Dispatch

extension Thenable {
    /// Continues with another promise, made from the value.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: returns the promise to go on with.
    /// - Returns: a promise that settles as the one `body` returns.
    /// - Rejects: with the error that came down the chain, which skips `body`; with what `body` throws or its promise
    ///   rejects with; with ``PromiseError/returnedSelf`` when that is the promise returned here.
    /// - Cancellation: passes up to this promise, or, once `body` has run, to the promise it returned.
    @inlinable
    public func then<U: Thenable>(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U.T> {
        let next = _Derived<T, U, U.T>(role: .values, body: body) { handler, source in
            let next = unsafeDowncast(handler, to: _Derived<T, U, U.T>.self)
            do {
                next._follow(try next.takeBody()(unsafeDowncast(source, to: Promise<T>.self).fulfilledValue)._promise)
            } catch {
                next._reject(error)
            }
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }
}

extension Promise {
    /// Settles as `inner` does: at once where that is settled, without a hop of its own.
    @inlinable
    final func _follow(_ inner: Promise<T>) {
        if inner.isMadeFulfilled { return _fulfill(inner.fulfilledValue) }
        switch inner._observedState() {
        case .fulfilled:
            _fulfill(inner.fulfilledValue)
        case .rejected:
            _reject(inner.failure.unsafelyUnwrapped)
        case .pending:
            _adopt(inner) { handler, source in
                unsafeDowncast(handler, to: Promise<T>.self)
                    ._fulfill(unsafeDowncast(source, to: Promise<T>.self).fulfilledValue)
            }
        }
    }
}
