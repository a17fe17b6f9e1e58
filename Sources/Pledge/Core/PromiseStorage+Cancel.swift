extension _PromiseStorage {
    /// Rejects with ``PromiseError/cancelled`` if still pending, and asks what it waits for to stop as well, as far up
    /// the chain as nobody else waits for it. Twice, or after the promise has settled, it does nothing.
    public final func cancel() { cancel(with: PromiseError.cancelled) }

    /// Cancels, perhaps with another error to reject with, and perhaps only if nobody waits who would miss it.
    final func cancel(with error: any Error = PromiseError.cancelled, unlessAwaited: Bool = false) {
        lock()
        guard let hooks = state.cancel(unlessAwaited: unlessAwaited) else { return unlock() }
        let isRejected = state.phase == .rejected
        if isRejected { failure = error }
        unlock()
        Trampoline.run(
            Work(promise: self) { promise in
                // First, as an `ensure` is to run before what follows it.
                for hook in hooks { hook(promise) }
                guard isRejected else { return promise.leaveSource(waitingOn: true) }
                Trampoline.run(Work(promise: promise) { $0.deliver() })
                Trampoline.run(Work(promise: promise) { $0.leaveSource() })
            })
    }

    /// Stops waiting for its source, or waits on as one who would not miss it. The source is cancelled if nobody else would.
    final func leaveSource(waitingOn: Bool = false) {
        let awaited = withState { state in waitingOn ? state.source.map { ($0, state.ticket) } : state.takeSource() }
        if let (source, ticket) = awaited { source.leave(ticket, waitingOn: waitingOn) }
    }

    /// Adds what a cancel does to the work behind this promise; runs it at once if that has been. The hook gets the
    /// promise, which it must not hold.
    final func onCancel(_ hook: @escaping Run) {
        if withState({ $0.onCancel(hook) }) { Trampoline.run(Work(promise: self, body: hook)) }
    }
}
