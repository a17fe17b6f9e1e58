extension _PromiseStorage {
    /// Rejects with ``PromiseError/cancelled`` if still pending, and asks what it waits for to stop as well, as far up
    /// the chain as nobody else waits for it. Twice, or after the promise has settled, it does nothing.
    public final func cancel() { cancel(with: PromiseError.cancelled) }

    /// Cancels, if nobody waits.
    ///
    /// - Returns: whether this was its first cancel.
    @discardableResult
    final func cancelIfUnused() -> Bool { cancel(with: PromiseError.cancelled, unlessAwaited: true) }

    /// Cancels, with another error to reject with.
    @discardableResult
    final func cancel(with error: any Error, unlessAwaited: Bool = false) -> Bool {
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
                guard cancelled.isRejected else { return self.retreat() }
                Trampoline.run(.deliver(self))
                if let (source, ticket) = cancelled.source { Trampoline.run(.other { source.leave(ticket) }) }
            })
        return true
    }

    /// Takes a handler out and, if nobody else waits, cancels.
    ///
    /// - Returns: the handler, if it was not due yet, and whether this promise was cancelled.
    @discardableResult
    final func leave(_ ticket: UInt32) -> (handler: Handler, isCancelled: Bool)? {
        release(ticket).map { ($0, cancelIfUnused()) }
    }

    /// Takes a handler out.
    ///
    /// - Returns: the handler, if it was not due yet.
    @discardableResult
    final func release(_ ticket: UInt32) -> Handler? { withState { $0.remove(ticket) } }

    /// Stops waiting for its source, which is cancelled if nobody else waits for it.
    @discardableResult
    final func leaveSource() -> (source: _PromiseStorage, handler: Handler, isCancelled: Bool)? {
        guard let (source, ticket) = withState({ $0.takeSource() }), let (handler, isCancelled) = source.leave(ticket)
        else { return nil }
        return (source, handler, isCancelled)
    }

    /// Has a guarantee that was cancelled ask its source to stop, and wait for what comes of that. If the source goes on
    /// for others, it lets go, and waits again once somebody waits for it.
    final func retreat() {
        guard let (source, handler, isCancelled) = leaveSource() else { return }
        let (run, place, interest) = (handler.work.body, handler.place, handler.interest)
        wait(unlessIdle: isCancelled) { promise in
            let work = Work(promise: promise, body: run)
            _ = promise.subscribe(to: source, Handler(work: work, place: place, interest: interest))
        }
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
