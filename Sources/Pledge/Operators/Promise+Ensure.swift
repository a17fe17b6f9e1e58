import Dispatch

extension Thenable {
    /// Runs `body` regardless of the outcome, then passes the outcome on.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `body` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - body: A closure that runs after a value, an error, or cancellation.
    /// - Cancellation: Propagates to this promise. If the returned promise is canceled, `body` is submitted to its
    ///   queue immediately, and the promise rejects once it has run.
    public func ensure(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> {
        _promise._always(on: queue, flags: flags) {
            body()
            return Guarantee()
        }
    }

    /// Runs `body` regardless of the outcome, waits for its work, then passes the outcome on.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `body` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - body: A closure that runs after a value, an error, or cancellation, and returns the work to wait for.
    /// - Cancellation: Propagates to this promise. If the returned promise is canceled, `body` is submitted to its
    ///   queue immediately, and the promise rejects when its work is done. Work already begun continues on its own.
    public func ensureThen(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> {
        _promise._always(on: queue, flags: flags, body)
    }
}

extension Thenable where T == Void {
    /// Runs `body` at the end of a chain, regardless of the outcome.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `body` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - body: A closure that runs after the previous handler.
    public func finally(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) {
        _ = ensure(on: queue, flags: flags, body)
    }
}

extension Promise {
    /// Returns a promise that settles with the same outcome after `body`, which is called once, and its work; or with
    /// cancellation, if it is canceled before `body` has returned.
    func _always(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> {
        let queue = PromiseConfiguration.queue(queue, endsChain: true)
        let hasRun = Locked(false)
        @Sendable func run(_ next: ValueStorage<T?>, _ outcome: Result<T, any Error>) {
            let isFirst = hasRun.withLock { hasRun in
                defer { hasRun = true }
                return !hasRun
            }
            guard isFirst else { return }
            let work = body()
            // From here on, there is nothing left that a cancel has to wait for.
            next.withState { $0.set(.outlivesCancel, false) }
            let outcome = next.isCancelled ? .failure(PromiseError.cancelled) : outcome
            // Observed rather than waited for, so that canceling the chain doesn't cancel the work.
            work.pipe { _ in next.settle(as: outcome) }
        }
        let promise = Promise(unsettled: ())
        let next = promise.storage
        next.withState { $0.set(.outlivesCancel) }
        next.onCancel { next in
            next.leaveSource()
            let next = next.typed(T.self)
            // After the closures further up the chain, whose promises are about to be canceled.
            Trampoline.runLast(
                Work { _ in
                    _ = Promise<Void>().done(on: queue, flags: flags) { run(next, .failure(PromiseError.cancelled)) }
                })
        }
        next.wait(for: storage, on: queue, flags: flags) { run($0.typed(), _outcome) }
        return promise
    }
}
