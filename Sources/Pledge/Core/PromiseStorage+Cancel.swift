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
                if isRejected {
                    Trampoline.run(Work(promise: promise) { $0.deliver() })
                    Trampoline.run(Work(promise: promise) { $0.leaveSource() })
                } else {
                    let (source, ticket) = promise.withState { ($0.source, $0.ticket) }
                    source?.discount(ticket)
                }
            })
    }

    /// Stops waiting for its source, which is cancelled if nobody else waits for it.
    final func leaveSource() {
        if let (source, ticket) = withState({ $0.takeSource() }) { source.leave(ticket) }
    }

    /// Adds what a cancel does to the work behind this promise; runs it at once if that has been. The hook gets the
    /// promise, which it must not hold.
    final func onCancel(_ hook: @escaping Run) {
        if withState({ $0.onCancel(hook) }) { Trampoline.run(Work(promise: self, body: hook)) }
    }
}
