import Dispatch

extension _PromiseStorage {
    /// Has `waiter` wait for this promise. Nobody else knows it yet, so its lock is not needed: 5 % of a hop.
    @usableFromInline final func _register(
        _ waiter: _PromiseStorage, on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ interest: _Interest,
        _ run: consuming @escaping Run
    ) {
        let handler = Handler(work: Work(promise: waiter, body: run), place: Place(queue, flags), interest: interest)
        _ = add(handler, for: waiter)
    }

    /// Adds a handler that runs at once, in the thread that settles.
    ///
    /// - Returns: its ticket, if it waits.
    @discardableResult final func observe(for target: _PromiseStorage? = nil, _ run: @escaping Run) -> UInt32? {
        add(Handler(work: Work(promise: target ?? self, body: run), place: .here, interest: .outcomes))
    }

    /// - Parameter newborn: what is to wait, if nobody else knows it yet.
    @inline(__always)
    private final func add(_ handler: consuming Handler, for newborn: _PromiseStorage? = nil) -> UInt32? {
        lock()
        if state.isOver {
            sendLateAndUnlock(handler)
            return nil
        }
        let ticket = state.add(handler)
        // Under this lock, not its own: once this is unlocked, whoever settles this promise may be settling that one.
        newborn?.state.wait(for: self, ticket: ticket)
        unlock()
        return ticket
    }

    /// A function of its own, so that the usual way is short.
    @inline(never) private final func sendLateAndUnlock(_ handler: consuming Handler) {
        state.set(.observed)
        sendAndUnlock(handler, after: state.phase)
    }

    /// Makes this promise wait for `source`.
    ///
    /// - Parameter run: gets this promise, to settle it.
    @usableFromInline final func _wait(
        for source: _PromiseStorage, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ interest: _Interest = .outcomes, _ run: consuming @escaping Run
    ) {
        let handler = Handler(work: Work(promise: self, body: run), place: Place(queue, flags), interest: interest)
        // What it waited for before is let go after unlocking.
        withState { $0.wait(for: source) }
        guard let ticket = source.add(handler) else { return }
        lock()
        // Unless another thread has run the handler meanwhile, which has this promise wait for something else.
        if state.source === source { state.wait(for: source, ticket: ticket) }
        let (isPending, isCancelled) = (state.phase == .pending, state.has(.cancelled))
        unlock()
        // Nobody is left to use what has begun, or a guarantee hurries it.
        if isCancelled {
            Trampoline.run(Work { _ in isPending ? source.discount(ticket) : source.leave(ticket) })
        }
    }
}
