import Dispatch

extension _PromiseStorage {
    /// Makes this promise wait for `source`.
    ///
    /// - Parameters:
    ///   - isNew: whether nobody else knows this promise yet, so that its lock is not needed: a fifth of a hop.
    ///   - run: gets this promise, to settle it.
    @usableFromInline final func _wait(
        for source: _PromiseStorage, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ interest: _Interest = .outcomes, isNew: Bool = false, _ run: consuming @escaping Run
    ) {
        let handler = Handler(
            work: Work(promise: self, body: run),
            place: PromiseConfiguration.place(queue, flags, endsChain: interest.contains(.end)), interest: interest)
        guard !isNew else { return _ = source.add(handler, for: self) }
        // What it waited for before is let go after unlocking.
        withState { $0.wait(for: source) }
        guard let ticket = source.add(handler) else { return }
        lock()
        // Unless another thread has run the handler meanwhile, which has this promise wait for something else.
        if state.source === source { state.wait(for: source, ticket: ticket) }
        let (isPending, isCancelled) = (state.phase == .pending, state.has(.cancelled))
        unlock()
        // Nobody is left to use what has begun, or a guarantee hurries it.
        if isCancelled { Trampoline.run(Work { _ in source.leave(ticket, waitingOn: isPending) }) }
    }

    /// Adds a handler that runs at once, in the thread that settles.
    ///
    /// - Returns: its ticket, if it waits.
    @discardableResult final func observe(for target: _PromiseStorage? = nil, _ run: @escaping Run) -> Ticket? {
        add(Handler(work: Work(promise: target ?? self, body: run), place: .here, interest: .outcomes))
    }

    /// - Parameter newborn: what is to wait, if nobody else knows it yet.
    @inline(__always)
    private final func add(_ handler: consuming Handler, for newborn: _PromiseStorage? = nil) -> Ticket? {
        lock()
        if state.isOver {
            state.set(.observed)
            sendAndUnlock(handler)
            return nil
        }
        let ticket = state.add(handler)
        // Under this lock, not its own: once this is unlocked, whoever settles this promise may be settling that one.
        newborn?.state.wait(for: self, ticket: ticket)
        unlock()
        return ticket
    }
}
