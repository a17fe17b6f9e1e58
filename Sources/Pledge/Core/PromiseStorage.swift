/// What a promise can wait for: another promise, or several of them. A ticket says who waits.
public class _Upstream: _LockedObject, @unchecked Sendable {
    // Unchecked: there is nothing in it.

    /// Nobody waits under that ticket any more; cancels, if nobody else would miss it.
    func leave(_ ticket: UInt32) {}

    /// Nobody waits under that ticket any more. Returns whether somebody did.
    func release(_ ticket: UInt32) -> Bool { false }

    /// Whoever waits under that ticket would not miss it; cancels, if nobody else would.
    func discount(_ ticket: UInt32) {}
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
        lock()
        let phase = state.phase
        if isHandled, phase != .pending { state.set(.observed) }
        unlock()
        return phase == .pending ? nil : phase == .fulfilled
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

    /// Settles a promise that nobody else knows yet, and so without the lock.
    @usableFromInline final func _beBornSettled(_ error: (any Error)? = nil) {
        failure = error
        _ = state.settle(error == nil ? .fulfilled : .rejected)
    }

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
        case .pledge, .configured: DefaultQueue.shared.append(work)
        case .queue(let queue, let flags): queue.send([work], flags)
        }
        unlock()
    }

    /// Sends several handlers, without the lock, and those who come meanwhile after them.
    final func deliver() {
        while true {
            lock()
            var due = state.nextDue()
            let outcome = state.phase
            unlock()
            if due.isEmpty { return }
            var batches = Batches()
            // Taken out one by one: a copy would cost as much as the rest of the way.
            for index in due.indices {
                guard let handler = due[index].handler.take() else { continue }
                let place = handler.place(after: outcome)
                batches.add((consume handler).work, to: place)
            }
            batches.send()
        }
    }

    // MARK: Waited for

    // A handler that is due is there no more.

    final override func leave(_ ticket: UInt32) { if release(ticket) { cancel(unlessAwaited: true) } }

    final override func release(_ ticket: UInt32) -> Bool { change(ticket) { _ in nil } }

    final override func discount(_ ticket: UInt32) {
        if change(ticket, { $0.uncounted }) { cancel(unlessAwaited: true) }
    }

    private func change(_ ticket: UInt32, _ change: (Handler) -> Handler?) -> Bool {
        // What it was is let go after unlocking.
        withState { $0.change(ticket, change) } != nil
    }
}
