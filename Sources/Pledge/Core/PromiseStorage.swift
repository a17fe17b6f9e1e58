import Dispatch

/// What a promise can wait for: another promise, or several of them. A ticket says who waits.
public class _Upstream: _LockedObject, @unchecked Sendable {
    // Unchecked: there is nothing in it.

    /// Takes out who waits under that ticket. Returns whether somebody did.
    func release(_ ticket: Ticket) -> Bool { false }

    /// Whoever waits under that ticket has been cancelled. It is taken out or, where it waits on, counts no more; and if
    /// nobody is left who counts, this is cancelled as well.
    func leave(_ ticket: Ticket, waitingOn: Bool) {}
}

/// A promise without its value: a ``PromiseState``, a lock, and what follows from the state's steps.
///
/// Not generic on purpose: it is compiled once, and stays fast where generic code would not.
public class _PromiseStorage: _Upstream, @unchecked Sendable {
    // Unchecked: `state` is touched only under the lock. `failure`, and the value of a subclass, are written under it
    // before the promise settles, and never again: whoever was told that it has settled may read them without it.

    /// What a handler does; gets the promise it is to settle or, if it has none, the one it waited for.
    @usableFromInline typealias Run = (_PromiseStorage) -> Void
    typealias State = PromiseState<_Upstream, Handler, Run>

    // Unchecked exclusivity: the lock sees to that; checking costs 9 to 43 % of a hop.
    @exclusivity(unchecked) final var state = State()
    @exclusivity(unchecked) @usableFromInline final var failure: (any Error)?

    @usableFromInline override init() { super.init() }

    /// What is settled instead of a promise that may be gone.
    static let nobody = _PromiseStorage()

    deinit {
        // A guarantee is rejected only when it was dropped, which is in the log already.
        if let failure, !state.has(.observed), !state.has(.outlivesCancel), !failure.isCancelled {
            PromiseConfiguration.log(.unhandled(failure, type: "\(type(of: self))"))
        }
        // A cancelled guarantee that nobody waited for. Its source may be one as well: a long chain must not be let go by
        // recursion.
        if let parting = state.takeSource().map({ waits in Work { _ in _ = waits.source.release(waits.ticket) } }) {
            Trampoline.run(consume parting)
        }
    }

    // MARK: Looked at

    /// Whether it is fulfilled, or nil while it is pending.
    ///
    /// - Parameter isHandled: whether looking at an error counts as having handled it.
    @usableFromInline final func _look(handling isHandled: Bool = true) -> Bool? {
        withState { state in
            guard state.phase != .pending else { return nil }
            if isHandled { state.set(.observed) }
            return state.phase == .fulfilled
        }
    }

    @usableFromInline final var _isPending: Bool { withState { $0.phase == .pending } }

    /// Was it cancelled? If it outlives that, it may still be pending.
    @usableFromInline final var _isCancelled: Bool { withState { $0.has(.cancelled) } }

    @inline(__always) @discardableResult final func withState<Result>(_ body: (inout State) -> Result) -> Result {
        lock()
        defer { unlock() }
        return body(&state)
    }

    // MARK: Settling

    @usableFromInline final func _reject(_ error: any Error) { _settle { failure = error } }

    /// Settles a promise that is pending.
    ///
    /// - Parameter set: sets the value or, where it is to be rejected, ``failure``.
    @inline(__always) @usableFromInline final func _settle(_ set: () -> Void) {
        lock()
        guard state.phase == .pending else { return unlock() }
        set()
        let (source, hooks) = (state.takeSource(), state.takeHooks())
        if let only = state.settle(failure == nil ? .fulfilled : .rejected) {
            sendAndUnlock(only)
        } else {
            let isDelivering = state.has(.delivering)
            unlock()
            if isDelivering { Trampoline.run(Work(promise: self) { $0.deliver() }) }
        }
        // As a step, since what they hold may have more to do as it goes.
        if !hooks.isEmpty { Trampoline.run(Work { [hooks = consume hooks] _ in withExtendedLifetime(hooks) {} }) }
        withExtendedLifetime(source) {}
    }

    /// Sends one handler on its way. Unlocks only once that has its place on a queue: whoever adds another, because this
    /// promise has settled, comes after it.
    @inline(__always) final func sendAndUnlock(_ handler: consuming Handler) {
        let place = handler.place(after: state.phase)
        let work = (consume handler).work
        switch place {
        case .here:
            unlock()
            return Trampoline.run(work)
        case .pledge: DefaultQueue.shared.append(work)
        case .queue(let queue, let flags): queue.send([work], flags)
        }
        unlock()
    }

    /// Sends several handlers without the lock, and those who come meanwhile after them. To be called in a step of the
    /// trampoline. Handlers that name the same queue go there as one block.
    final func deliver() {
        let outcome = withState { $0.phase }
        while case var due = withState({ $0.nextDue() }), !due.isEmpty {
            var blocks: [(queue: DispatchQueue, flags: DispatchWorkItemFlags, works: [Work])] = []
            // Taken out one by one: a copy would cost as much as the rest of the way.
            for index in due.indices {
                guard let handler = due[index].handler.take() else { continue }
                let place = handler.place(after: outcome)
                let work = (consume handler).work
                switch place {
                case .here: Trampoline.run(work)
                case .pledge: DefaultQueue.shared.append(work)
                case .queue(let queue, let flags):
                    // Only the last block for a queue is added to, so that flags do not change the order.
                    if let last = blocks.lastIndex(where: { $0.queue === queue }), blocks[last].flags == flags {
                        blocks[last].works.append(work)
                    } else {
                        blocks.append((queue, flags, [work]))
                    }
                }
            }
            for (queue, flags, works) in blocks { queue.send(works, flags) }
        }
    }

    // MARK: Waited for

    // A settled promise's tickets are good for nothing. What a handler was is let go after unlocking.

    final override func release(_ ticket: Ticket) -> Bool { withState { $0.change(ticket) { _ in nil } } != nil }

    final override func leave(_ ticket: Ticket, waitingOn: Bool) {
        let former = withState { $0.change(ticket) { waitingOn ? $0.uncounted : nil } }
        if former != nil { cancel(unlessAwaited: true) }
    }
}
