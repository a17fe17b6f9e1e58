extension PromiseStorage {
    /// Cancels the promise, rejecting with `error`. If `unlessAwaited` is true, only if it has no dependents.
    final func cancel(with error: any Error = PromiseError.cancelled, unlessAwaited: Bool = false) {
        lock()
        guard let hooks = state.cancel(unlessAwaited: unlessAwaited) else { return unlock() }
        let isRejected = state.phase == .rejected
        if isRejected { failure = error }
        unlock()
        Trampoline.run(
            Work(promise: self) { promise in
                // First, because an `ensure` must run before what follows it.
                for hook in hooks { hook(promise) }
                guard isRejected else { return promise.leaveSource(waitingOn: true) }
                Trampoline.run(Work(promise: promise) { $0.deliver() })
                Trampoline.run(Work(promise: promise) { $0.leaveSource() })
            })
    }

    /// Stops waiting for the source, or waits on without counting. A source that has no other dependents is canceled.
    final func leaveSource(waitingOn: Bool = false) {
        let awaited = withState { state in waitingOn ? state.source.map { ($0, state.ticket) } : state.takeSource() }
        if let (source, ticket) = awaited { source.leave(ticket, waitingOn: waitingOn) }
    }

    /// Adds a hook that a cancel runs, or runs it immediately if the promise was already canceled. The hook receives
    /// the promise, which it must not retain.
    final func onCancel(_ hook: @escaping Run) {
        if withState({ $0.onCancel(hook) }) { Trampoline.run(Work(promise: self, body: hook)) }
    }
}
