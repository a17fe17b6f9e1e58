import Dispatch

extension Thenable {
    /// Runs `body` after a value, an error, or cancellation, as ``map(on:flags:_:)`` does, then passes the outcome on.
    ///
    /// - Cancellation: Propagates to this promise. `body` still runs, and later steps wait for it.
    @_disfavoredOverload public func ensure(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> {
        _promise._always(on: queue, flags: flags) {
            body()
            return Guarantee()
        }
    }

    /// Runs `body`, as ``ensure(on:flags:_:)`` does, waits for the work that it returns, then passes the outcome on.
    ///
    /// - Cancellation: Propagates to this promise, not to the work. `body` still runs, and later steps wait for the
    ///   work.
    @_disfavoredOverload public func ensureThen(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { _promise._always(on: queue, flags: flags, body) }
}

extension Thenable where T == Void {
    /// Runs `body` at the end of a chain, regardless of the outcome; see ``ensure(on:flags:_:)``.
    @_disfavoredOverload public func finally(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) { _ = ensure(on: queue, flags: flags, body) }
}

extension Promise {
    /// Returns a promise that settles after `body` and its work, with the same outcome or, once canceled, as canceled.
    func _always(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> {
        let promise = Promise(unsettled: ())
        promise.storage.withState { $0.set(.cleanup) }
        promise.storage.subscribe(to: storage, on: queue, flags: flags, [.outcomes, .end], isNew: true) { next in
            // Observed rather than waited for, so that canceling the chain doesn't cancel the work.
            body()._promise.storage.observe { _ in
                // After a cancel, `next` rejects as canceled. This promise may still be pending, because it continues
                // for another dependent.
                next.typed().settle(as: next.isCancelled ? .failure(PromiseError.cancelled) : _outcome)
            }
        }
        return promise
    }
}
