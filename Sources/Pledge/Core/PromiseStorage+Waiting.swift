import Dispatch

extension _PromiseStorage {
    /// Has `waiter` wait for this promise. Nobody else knows it yet, so its lock is not needed: 5 % of a hop.
    @usableFromInline
    final func _register(
        _ waiter: _PromiseStorage, on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ interest: _Interest,
        _ run: __owned @escaping Run
    ) {
        let handler = Handler(work: Work(promise: waiter, body: run), place: Place(queue, flags), interest: interest)
        _ = add(handler, for: waiter)
    }

    /// Adds a handler that runs at once, in the thread that settles.
    ///
    /// - Returns: its ticket, if it waits.
    @discardableResult
    final func observe(for target: _PromiseStorage? = nil, _ run: @escaping Run) -> UInt32? {
        add(Handler(work: Work(promise: target ?? self, body: run), place: .here, interest: .outcomes))
    }

    /// - Parameter newborn: what is to wait, if nobody else knows it yet.
    @inline(__always)
    private final func add(_ handler: consuming Handler, for newborn: _PromiseStorage? = nil) -> UInt32? {
        lock()
        if state.isOver {
            sendAtOnce(handler)
            return nil
        }
        let ticket = state.add(handler)
        // Under this lock, not its own: once this is unlocked, whoever settles this promise may be settling that one.
        newborn?.state.wait(for: self, ticket: ticket)
        if state.has(.asleep) { wake() } else { unlock() }
        return ticket
    }

    // Two functions, so that the usual way is short.

    /// Called with the lock held; gives it up.
    @inline(never)
    private final func sendAtOnce(_ handler: consuming Handler) {
        state.set(.observed)
        send(handler, after: state.phase)
    }

    /// Called with the lock held; gives it up.
    @inline(never)
    final func wake() {
        let hooks = state.wake()
        unlock()
        for hook in hooks { Trampoline.run(.other { hook(self) }) }
    }

    /// Makes this promise wait for `source`.
    ///
    /// - Parameter run: gets this promise, to settle it.
    @usableFromInline
    final func _wait(
        for source: _PromiseStorage, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ interest: _Interest = .outcomes, _ run: __owned @escaping Run
    ) {
        let work = Work(promise: self, body: run)
        let handler = Handler(work: work, place: Place(queue, flags), interest: interest)
        guard let ticket = subscribe(to: source, handler), withState({ $0.has(.cancelled) }) else { return }
        // Nobody is left to use what has begun, or a guarantee hurries it.
        Trampoline.run(.other { if self._isPending { self.retreat() } else { source.leave(ticket) } })
    }

    /// - Returns: the ticket of the handler, if it waits.
    final func subscribe(to source: _PromiseStorage, _ handler: Handler) -> UInt32? {
        let before = withState { $0.source }
        guard let ticket = source.add(handler) else { return nil }
        return withState { state in
            // Another thread may have run the handler meanwhile, which has this promise wait for something else.
            guard state.source === before else { return nil }
            state.wait(for: source, ticket: ticket)
            return ticket
        }
    }
}
