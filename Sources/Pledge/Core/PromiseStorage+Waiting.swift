import Dispatch

extension PromiseStorage {
    /// Makes this promise wait for `source`.
    ///
    /// - Parameters:
    ///   - isNew: Whether no other code has a reference to this promise yet. It then needs no lock: a fifth of a hop.
    ///   - run: A closure that receives this promise, to settle it.
    @usableFromInline final func wait(
        for source: PromiseStorage, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ interest: _Interest = .outcomes, isNew: Bool = false, _ run: consuming @escaping Run
    ) {
        let handler = Handler(
            work: Work(promise: self, body: run),
            place: PromiseConfiguration.place(queue, flags, endsChain: interest.contains(.end)), interest: interest)
        guard !isNew else { return _ = source.add(handler, for: self) }
        // The former source is released after unlocking.
        withState { $0.wait(for: .one(source)) }
        guard let ticket = source.add(handler) else { return }
        lock()
        // Unless another thread has run the handler meanwhile, and this promise now waits for something else.
        if state.source?.isPromise(source) == true { state.wait(for: .one(source), ticket: ticket) }
        let (isPending, isCancelled) = (state.phase == .pending, state.has(.cancelled))
        unlock()
        // Canceled: nothing is left to use the outcome, or a guarantee asks its source to finish early.
        if isCancelled { Trampoline.run(Work { _ in source.leave(ticket, waitingOn: isPending) }) }
    }

    /// Adds a handler that runs inline, on the thread that settles the promise.
    ///
    /// - Returns: The handler's ticket, or nil if the promise has already settled.
    @discardableResult final func observe(for target: PromiseStorage? = nil, _ run: @escaping Run) -> Ticket? {
        add(Handler(work: Work(promise: target ?? self, body: run), place: .here, interest: .outcomes))
    }

    /// - Parameter newborn: The promise that waits, if no other code has a reference to it yet.
    @inline(__always)
    private final func add(_ handler: consuming Handler, for newborn: PromiseStorage? = nil) -> Ticket? {
        lock()
        if state.isOver {
            state.set(.observed)
            sendAndUnlock(handler)
            return nil
        }
        let ticket = state.add(handler)
        // Under this lock, not its own: after unlocking, another thread may settle this promise, and thereby that one.
        newborn?.state.wait(for: .one(self), ticket: ticket)
        unlock()
        return ticket
    }
}
