import Dispatch

/// A promise without its value: a ``PromiseState``, a lock, and what follows from the state's steps.
///
/// Not generic on purpose: it is compiled once, and stays fast where generic code would not. Public only because
/// ``Promise`` inherits from it; it is not API.
public class _PromiseStorage: _Upstream, @unchecked Sendable {
    // Unchecked: `state` is touched only under the lock. `failure`, and the value of a subclass, are written under it
    // before the promise settles, and never again: whoever was told that it has settled may read them without it.

    /// What a handler does; gets the promise it is to settle or, if it has none, the one it waited for.
    @usableFromInline typealias Run = (_PromiseStorage) -> Void
    typealias State = PromiseState<_Upstream, Handler, Run>

    // Unchecked exclusivity: the lock sees to that; checking costs 9 to 43 % of a hop.
    @exclusivity(unchecked) final var state = State()
    @exclusivity(unchecked) @usableFromInline final var failure: (any Error)?

    @usableFromInline
    override init() { super.init() }

    /// What is settled instead of a promise that may be gone.
    static let nobody = _PromiseStorage()

    deinit {
        // A guarantee is rejected only when it was dropped, which is in the log already.
        if state.phase == .rejected, !state.has(.observed), !state.has(.outlivesCancel), let failure,
            !failure.isCancelled
        {
            PromiseConfiguration.log(.unhandled(failure, type: typeName))
        }
        // A cancelled guarantee that nobody waited for. Its source may be one as well: a long chain must not be let go by
        // recursion.
        if let parting = state.takeSource().map({ waits in { _ = waits.source.release(waits.ticket) } }) {
            Trampoline.run(.other(consume parting))
        }
    }

    /// For the log.
    var typeName: String { "Promise" }

    // MARK: Settling

    /// Settles a promise that nobody else knows yet, and so without the lock.
    @usableFromInline
    final func _beBornSettled(_ error: (any Error)?) {
        failure = error
        _ = state.settle(error == nil ? .fulfilled : .rejected)
    }

    @usableFromInline
    final func _reject(_ error: any Error) {
        lock()
        guard state.phase == .pending else { return unlock() }
        failure = error
        settle(.rejected)
    }

    /// Begins to fulfil a promise that is pending: the value is to be set, and then ``_endFulfilling()`` called.
    @usableFromInline
    final func _beginFulfilling() -> Bool {
        lock()
        if state.phase == .pending { return true }
        unlock()
        return false
    }

    @usableFromInline
    final func _endFulfilling() { settle(.fulfilled) }

    /// Called with the lock held; gives it up.
    @inline(__always)
    private final func settle(_ outcome: State.Phase) {
        let source = state.takeSource()
        let hooks = state.takeHooks()
        if let only = state.settle(outcome) {
            send(only, after: outcome)
        } else {
            let isDelivering = state.has(.delivering)
            unlock()
            if isDelivering { Trampoline.run(.deliver(self)) }
        }
        if !hooks.isEmpty { Trampoline.run(.drop(consume hooks)) }
        withExtendedLifetime(source) {}
    }

    /// Sends one handler on its way. Called with the lock held; gives it up, but only once the handler has its place on
    /// a queue: whoever adds another, because this promise has settled, comes after it.
    @inline(__always)
    final func send(_ handler: consuming Handler, after outcome: State.Phase) {
        let place = handler.place(after: outcome)
        let work = (consume handler).work
        switch place {
        case .here:
            unlock()
            Trampoline.run(.run(work))
        case .queue(let target):
            target.send([work])
            unlock()
        case .pledge, .configured:
            DefaultQueue.shared.append(work)
            unlock()
        }
    }

    /// Sends several handlers, without the lock, and those who come meanwhile after them.
    final func deliver() {
        while true {
            lock()
            var due = state.nextDue()
            let outcome = state.phase
            unlock()
            if due.isEmpty { return }
            var batches = Batches(atMost: due.count)
            // Taken out one by one: a copy would cost as much as the rest of the way.
            for index in due.indices {
                guard let handler = due[index].take() else { continue }
                let place = handler.place(after: outcome)
                batches.add((consume handler).work, to: place)
            }
            batches.send()
        }
    }

    /// Nobody is going to settle it any more. A guarantee is rejected, too, so that nothing waits for it for ever.
    final func drop(file: String, line: UInt) {
        if withState({ $0.has(.outlivesCancel) }) {
            PromiseConfiguration.log(.guaranteeDropped(file: file, line: line))
        }
        _reject(PromiseError.dropped(file: file, line: line))
    }

    @usableFromInline
    final func _refuseItself() {
        if withState({ $0.has(.outlivesCancel) }) {
            // Not a precondition: a release build would stop without the sentence.
            fatalError("Pledge: a then returned the very guarantee it was making, which could never settle.")
        }
        _reject(PromiseError.returnedSelf)
    }

    // MARK: Waited for

    /// Takes a handler out and, if it was not due yet and nobody else would miss this, cancels.
    final override func leave(_ ticket: UInt32) {
        if release(ticket) { cancelIfUnused() }
    }

    /// Takes a handler out.
    ///
    /// - Returns: whether it was not due yet.
    @discardableResult
    final override func release(_ ticket: UInt32) -> Bool { change(ticket) { _ in nil } }

    /// Has a handler, whose promise was cancelled but still waits, count no more.
    final override func discount(_ ticket: UInt32) {
        if change(ticket, { $0.uncounted }) { cancelIfUnused() }
    }

    private func change(_ ticket: UInt32, _ change: (Handler) -> Handler?) -> Bool {
        // Let go after unlocking.
        let former = withState { $0.change(ticket, change) }
        return former != nil
    }

    @inline(__always)
    final func withState<Result>(_ body: (inout State) -> Result) -> Result {
        lock()
        defer { unlock() }
        return body(&state)
    }
}
