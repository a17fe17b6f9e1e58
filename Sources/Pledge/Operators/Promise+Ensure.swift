import Dispatch

extension Thenable {
    /// Runs `body` whatever the outcome, which passes by unchanged.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - body: runs on value, error and cancellation alike.
    /// - Cancellation: passes up to this promise. Where the promise returned here is cancelled, `body` is sent to its
    ///   queue at once, and the promise rejects when it has run.
    public func ensure(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> {
        _promise._always(on: queue, flags: flags) {
            body()
            return Guarantee()
        }
    }

    /// Waits for `body`'s work whatever the outcome, which then passes by unchanged.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - body: runs on value, error and cancellation alike, and returns what to wait for.
    /// - Cancellation: passes up to this promise. Where the promise returned here is cancelled, `body` is sent to its
    ///   queue at once, and the promise rejects when its work is done; work that has begun goes on, unwaited for.
    public func ensureThen(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> {
        _promise._always(on: queue, flags: flags, body)
    }
}

extension Thenable where T == Void {
    /// Runs `body` at the very end, whatever the outcome.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - body: runs after the handler before it.
    public func finally(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) {
        _ = ensure(on: queue, flags: flags, body)
    }
}

extension Promise {
    /// A promise of the same outcome once the work of `body` is done, which is called once; or of a cancel, if that comes
    /// before `body` has returned.
    func _always(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> {
        let queue = PromiseConfiguration.queue(queue, endsChain: true)
        let hasRun = Locked(false)
        @Sendable func run(_ next: Promise<T>, _ outcome: Result<T, any Error>) {
            let isFirst = hasRun.withLock { hasRun in
                defer { hasRun = true }
                return !hasRun
            }
            guard isFirst else { return }
            let work = body()
            // From here on there is nothing left that a cancel has to wait for.
            next.withState { $0.set(.outlivesCancel, false) }
            let outcome = next._isCancelled ? .failure(PromiseError.cancelled) : outcome
            // Told rather than waited for, so that who cancels the chain does not cancel the work.
            work.pipe { _ in next._settle(as: outcome) }
        }
        let next = Promise(unsettled: ())
        next.withState { $0.set(.outlivesCancel) }
        next.onCancel { next in
            next.leaveSource()
            let next = next._as(Promise<T>.self)
            // After those above, which are about to be cancelled.
            Trampoline.runLast(
                Work { _ in
                    _ = Promise<Void>().done(on: queue, flags: flags) { run(next, .failure(PromiseError.cancelled)) }
                })
        }
        next._wait(for: self, on: queue, flags: flags) {
            run($0._as(Promise<T>.self), self._outcome)
        }
        return next
    }
}
