extension _PromiseStorage {
    /// Rejects with ``PromiseError/cancelled`` if still pending, and asks what it waits for to stop as well, as far up
    /// the chain as nobody else waits for it. Twice, or after the promise has settled, it does nothing.
    public final func cancel() { cancel(with: PromiseError.cancelled) }

    /// Cancels, if nobody waits.
    ///
    /// - Returns: whether that led to anything.
    @discardableResult
    final func cancelIfUnused(for retreat: Retreat? = nil) -> Bool {
        cancel(with: PromiseError.cancelled, unlessAwaited: true, for: retreat)
    }

    /// Cancels, with another error to reject with.
    ///
    /// - Parameter retreat: what is to hear whether this leads to anything, if it returns true.
    @discardableResult
    final func cancel(with error: any Error, unlessAwaited: Bool = false, for retreat: Retreat? = nil) -> Bool {
        lock()
        guard let cancelled = state.cancel(unlessAwaited: unlessAwaited) else {
            unlock()
            return false
        }
        if cancelled.isRejected { failure = error }
        unlock()
        Trampoline.run(
            .other {
                // First, as an `ensure` is to run before what follows it.
                for hook in cancelled.hooks { hook(self) }
                guard cancelled.isRejected else { return self.retreat(retreat ?? Retreat()) }
                Trampoline.run(.deliver(self))
                if let (source, ticket) = cancelled.source { Trampoline.run(.other { source.leave(ticket) }) }
                retreat?.end(isHeeded: true)
            })
        return true
    }

    /// Takes a handler out and, if it was not due yet and nobody else waits, cancels.
    final func leave(_ ticket: UInt32) {
        if release(ticket) != nil { cancelIfUnused() }
    }

    /// Takes a handler out.
    ///
    /// - Returns: the handler, if it was not due yet.
    @discardableResult
    final func release(_ ticket: UInt32) -> Handler? { withState { $0.remove(ticket) } }

    /// Stops waiting for its source, which is cancelled if nobody else waits for it.
    final func leaveSource() {
        if let (source, ticket) = withState({ $0.takeSource() }) { source.leave(ticket) }
    }

    /// Has a guarantee that was cancelled ask its source to stop, and wait for what comes of that. If the source goes on
    /// for others, it lets go, and waits again once somebody waits for it.
    final func retreat(_ retreat: Retreat = Retreat()) {
        guard let (source, ticket) = withState({ $0.takeSource() }), let handler = source.release(ticket) else {
            return retreat.end(isHeeded: true)
        }
        retreat.add(self, source, handler)
        if !source.cancelIfUnused(for: retreat) { retreat.end(isHeeded: false) }
    }

    /// Runs `begin` once somebody waits for this promise, or looks at it; or now, if that is so already. It gets the
    /// promise, which it must not hold.
    final func wait(unlessIdle isNeeded: Bool, _ begin: @escaping Run) {
        let isNow = withState { $0.phase == .pending && (isNeeded || !$0.sleep(until: begin)) }
        if isNow { Trampoline.run(.other { begin(self) }) }
    }

    /// Adds what a cancel does to the work behind this promise; runs it at once if that has been. The hook gets the
    /// promise, which it must not hold.
    final func onCancel(_ hook: @escaping Run) {
        if withState({ $0.onCancel(hook) }) { Trampoline.run(.other { hook(self) }) }
    }
}
