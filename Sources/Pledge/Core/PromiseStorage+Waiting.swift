import Dispatch

extension PromiseStorage {
    /// Makes this promise wait for `source`, and then passes it to `run`, to be settled. If `isNew`, no other code has
    /// a reference to this promise yet: not locking it saves a fifth of a hop.
    @usableFromInline final func wait(
        for source: PromiseStorage, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ interest: _Interest = [], isNew: Bool = false, _ run: consuming @escaping Run
    ) {
        `continue`(source)
        let handler = Handler(
            work: Work(promise: self, body: run),
            queue: PromiseConfiguration.queue(for: queue, flags, endsChain: interest.contains(.end)), interest: interest
        )
        guard !isNew else { return _ = source.add(handler, for: self) }
        // The former source is released after unlocking.
        withState { $0.wait(for: source) }
        guard let ticket = source.add(handler) else { return }
        lock()
        // Unless another thread has run the handler meanwhile, so that this promise now waits for another source.
        if state.source === source { state.wait(for: source, ticket: ticket) }
        let isCancelled = state.has(.cancelled)
        let waits = state.has(.guarantee) && state.phase == .pending
        unlock()
        guard isCancelled else { return }
        // Nothing uses the outcome any more, or a guarantee asks its source to finish early. The ticket finds the
        // handler, which a cancel that no longer reaches the source may be removing at this moment.
        _ = waits ? source.uncount(ticket, holds: true) : source.leave(ticket)
        source.cancel(unlessAwaited: true)
        if waits { descendLater() }
    }

    /// Adds a handler that runs inline, on the thread that settles the promise. Returns its ticket, or nil if the
    /// promise has already settled.
    @discardableResult
    final func observe(for target: PromiseStorage? = nil, _ interest: _Interest = [], _ run: @escaping Run) -> Ticket? {
        add(Handler(work: Work(promise: target ?? self, body: run), queue: .inline, interest: interest))
    }

    /// - Parameter newborn: The promise that waits, if no other code has a reference to it yet.
    @inline(__always)
    private final func add(_ handler: consuming Handler, for newborn: PromiseStorage? = nil) -> Ticket? {
        lock()
        if state.phase != .pending, state.sendsNow(inline: handler.queue(after: state.phase).isInline) {
            state.set(.observed)
            sendAndUnlock(handler)
            return nil
        }
        let ticket = state.add(handler)
        // Under this promise's lock, not the new one's: after unlocking, another thread may settle this promise, and
        // thereby that one.
        newborn?.state.wait(for: self, ticket: ticket)
        unlock()
        return ticket
    }
}
