import Dispatch

/// A promise without its value: a ``PromiseState``, a lock, and the effects of the state's steps.
///
/// Deliberately not generic: it is compiled once, and is faster than generic code would be.
@usableFromInline package class PromiseStorage: LockedObject, @unchecked Sendable {
    // Unchecked: `state` is only accessed under the lock. `failure`, and the value of a subclass, are written under it
    // before the promise settles, and never again: once known to have settled, they may be read without it.

    /// The closure of a handler. Receives the promise to settle or, if there is none, the one it waited for.
    @usableFromInline typealias Run = (PromiseStorage) -> Void
    typealias State = PromiseState<Upstream, Handler, Run>

    // Unchecked exclusivity: the lock guarantees it; checking costs 9 to 43 % of a hop.
    @exclusivity(unchecked) final var state = State()
    @exclusivity(unchecked) @usableFromInline final var failure: (any Error)?

    @usableFromInline override init() { super.init() }

    /// The type of the promise, for messages.
    var promiseType: String { "Promise" }

    /// The placeholder for a promise that may have been released.
    static let nobody = PromiseStorage()

    deinit {
        // A guarantee is only rejected when its resolver was dropped, which has already been logged.
        if let failure, !state.has(.observed), !state.has(.outlivesCancel), !failure.isCancelled {
            PromiseConfiguration.log(.unhandled(failure, type: promiseType))
        }
        // A canceled guarantee that nothing waited for. Its source may be another one: releasing a long chain must not
        // recurse.
        if let parting = state.takeSource().map({ waits in Work { _ in _ = waits.source.release(waits.ticket) } }) {
            Trampoline.run(consume parting)
        }
    }

    // MARK: Inspecting

    /// Returns whether the promise is fulfilled, or nil while it is pending.
    ///
    /// - Parameter isHandled: Whether reading an error counts as handling it.
    @usableFromInline final func look(handling isHandled: Bool = true) -> Bool? {
        withState { state in
            guard state.phase != .pending else { return nil }
            if isHandled { state.set(.observed) }
            return state.phase == .fulfilled
        }
    }

    @usableFromInline final var isPending: Bool { withState { $0.phase == .pending } }

    /// Whether the promise was canceled. It may still be pending, if it outlives that.
    @usableFromInline final var isCancelled: Bool { withState { $0.has(.cancelled) } }

    @inline(__always) @discardableResult final func withState<Result>(_ body: (inout State) -> Result) -> Result {
        lock()
        defer { unlock() }
        return body(&state)
    }

    // MARK: Settling

    @usableFromInline final func reject(_ error: any Error) { settle { failure = error } }

    /// Settles the promise if it is pending.
    ///
    /// - Parameter set: A closure that sets the value or, to reject, ``failure``.
    @inline(__always) @usableFromInline final func settle(_ set: () -> Void) {
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
        // As a step, because releasing what they hold may add further steps.
        if !hooks.isEmpty { Trampoline.run(Work { [hooks = consume hooks] _ in withExtendedLifetime(hooks) {} }) }
        withExtendedLifetime(source) {}
    }

    /// Sends one handler on its way. Unlocks only after submitting it to its queue, so that a handler added because
    /// this promise has settled runs after it.
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

    /// Sends several handlers without holding the lock, then those added meanwhile. Must be called in a step of the
    /// trampoline. Handlers that specify the same queue are submitted as one block.
    final func deliver() {
        let outcome = withState { $0.phase }
        while case var due = withState({ $0.nextDue() }), !due.isEmpty {
            var blocks: [(queue: DispatchQueue, flags: DispatchWorkItemFlags, works: [Work])] = []
            // Removed one by one: a copy would cost as much as the rest of the delivery.
            for index in due.indices {
                guard let handler = due[index].handler.take() else { continue }
                let place = handler.place(after: outcome)
                let work = (consume handler).work
                switch place {
                case .here: Trampoline.run(work)
                case .pledge: DefaultQueue.shared.append(work)
                case .queue(let queue, let flags):
                    // Only the last block for a queue is extended, so that flags don't change the order.
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

    // MARK: Waiting

    // The tickets of a settled promise are no longer valid. A former handler is released after unlocking.

    final func release(_ ticket: Ticket) -> Bool { withState { $0.change(ticket) { _ in nil } } != nil }

    final func leave(_ ticket: Ticket, waitingOn: Bool) {
        let former = withState { $0.change(ticket) { waitingOn ? $0.uncounted : nil } }
        if former != nil { cancel(unlessAwaited: true) }
    }
}

/// The storage of a promise with its value.
///
/// Its type parameter is the type of its field, `T?`: the code that destroys the field is then found through the
/// class's metadata. If it were `T`, each deinit would ask the runtime for the metadata of `T?`, which costs 7 to 18 %
/// of a hop.
@usableFromInline package final class ValueStorage<Value>: PromiseStorage, @unchecked Sendable {
    // Unchecked: `stored` follows the same rules as `failure` in the superclass.
    @exclusivity(unchecked) @usableFromInline final var stored: Value

    @inlinable init(_ value: Value) {
        stored = value
        super.init()
    }

    @inlinable @inline(__always) func fulfill(_ value: Value) { settle { stored = value } }

    // `Optional<Int>` is the value of a `Promise<Int>`.
    override var promiseType: String { "Promise" + "\(Value.self)".dropFirst("Optional".count) }
}
