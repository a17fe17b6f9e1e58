/// A promise without its value: a ``PromiseState``, a lock, and the effects of the state's steps. Deliberately not
/// generic: it is compiled once, and is faster than generic code would be.
@usableFromInline package class PromiseStorage: Upstream, @unchecked Sendable {
    // Unchecked: `state` is only accessed under the lock. `failure`, and the value of a subclass, are written under it
    // before the promise settles, and never again: once known to have settled, they may be read without it.
    //
    // A reader that knows of the outcome has acquired the write: it saw the phase under the lock that the settling
    // thread released, or its handler came over that lock or a queue. `deinit` reads all without the lock: dropping a
    // reference is a release, and dropping the last one acquires them all.

    /// The closure of a handler. Receives the promise to settle.
    @usableFromInline typealias Run = (PromiseStorage) -> Void
    typealias State = PromiseState<Upstream, Handler, Run>

    // Unchecked exclusivity: the lock guarantees it; checking costs 9 to 43 % of a hop.
    @exclusivity(unchecked) final var state = State()
    @exclusivity(unchecked) @usableFromInline final var failure: (any Error)?

    #if DEBUG
        @usableFromInline final var origin: (file: StaticString, line: UInt)?
    #endif

    @usableFromInline override init() { super.init() }

    /// The target of work that settles no promise.
    static let placeholder = PromiseStorage()

    /// The type of the promise, for messages.
    var promiseType: String { "Promise" }

    deinit {
        // A guarantee is only rejected when its resolver was dropped, which has already been logged.
        if let failure, state.phase == .rejected, !state.has(.observed), !state.has(.guarantee), !failure.isCancelled {
            PromiseConfiguration.log(.unhandled(failure, type: promiseType, from: place))
        }
        // It was canceled and still waited. As a step: releasing a long chain of sources must not recurse.
        if let parting = state.takeSource().map({ source, ticket in Work { _ in source.leave(ticket) } }) {
            Trampoline.run(consume parting)
        }
    }

    // MARK: Inspecting

    /// Returns whether the promise is fulfilled; nil while it is pending. If `isHandled`, an error counts as handled.
    @usableFromInline final func look(handling isHandled: Bool = true) -> Bool? {
        withState { state in
            guard state.phase != .pending else { return nil }
            if isHandled { state.set(.observed) }
            return state.phase == .fulfilled
        }
    }

    @usableFromInline final var isPending: Bool { withState { $0.phase == .pending } }
    @usableFromInline final var isCancelled: Bool { withState { $0.has(.cancelled) } }

    @inline(__always) @discardableResult final func withState<Result>(_ body: (inout State) -> Result) -> Result {
        locked { body(&state) }
    }

    // MARK: Settling

    @usableFromInline final func reject(_ error: any Error) { settle { failure = error } }

    /// Rejects a canceled promise with the error that the cancel has set.
    final func rejectCanceled() { settle(isCancel: true) {} }

    /// Settles the promise if it is pending: `set` sets the value or, to reject, ``failure``. Once it was canceled, only
    /// the cancel rejects it, after the cleanups further up; or, if it belongs to an `ensure`, what follows its closure.
    @inline(__always) @usableFromInline final func settle(isCancel: Bool = false, _ set: () -> Void) {
        lock()
        guard state.phase == .pending else { return unlock() }
        if failure == nil {
            set()
        } else if !isCancel, !state.has(.cleanup) {
            return unlock()
        }
        let (source, hooks) = (state.takeSource(), state.takeHooks())
        if let only = state.settle(failure == nil ? .fulfilled : .rejected) {
            sendAndUnlock(only, isFirst: true)
        } else {
            let hasHandlers = state.has(.sending)
            unlock()
            if hasHandlers { Trampoline.hold(deliver) }
        }
        // As a step, because releasing what they hold may add further steps.
        if !hooks.isEmpty { Trampoline.run(Work { [hooks = consume hooks] _ in withExtendedLifetime(hooks) {} }) }
        withExtendedLifetime(source) {}
    }

    /// Sends one handler, and unlocks only after submitting it to its queue, so that a handler added because this
    /// promise has settled runs after it. If `isFirst`, inline handlers added before it has run wait for it.
    @inline(__always) final func sendAndUnlock(_ handler: consuming Handler, isFirst: Bool = false) {
        let queue = handler.queue(after: state.phase)
        handler.hold()
        let work = (consume handler).work
        if queue.submits(work) { return unlock() }
        let isInlining = isFirst && queue.isInline
        if isInlining { state.set(.inlining) }
        unlock()
        // Released by the step, while its promise is the thread's current one.
        guard isInlining else { return Trampoline.run(consume work, now: !isFirst) }
        var step: Work? = consume work
        Trampoline.hold {
            if let step = step.take() { Trampoline.run(step) }
            deliverLater()
        }
    }

    /// Sends several handlers to their queues without holding the lock, then those added meanwhile. Each is a block of
    /// its own: on a concurrent queue, one may wait for another. Inline ones, and those added until then, become steps.
    private final func deliver() {
        let outcome = withState { $0.phase }
        var isInlining = false
        while case var due = withState({ $0.nextDue(inlining: isInlining) }), !due.isEmpty {
            // Removed one by one: a copy would cost as much as the rest of the delivery.
            for index in due.indices {
                due[index].handler?.hold()
                guard let handler = due[index].handler.take() else { continue }
                let (queue, work) = (handler.queue(after: outcome), handler.work)
                if queue.submits(work) { continue }
                Trampoline.run(work)
                isInlining = isInlining || queue.isInline
            }
        }
        if isInlining { deliverLater() }
    }

    private final func deliverLater() { Trampoline.run(Work(promise: self) { $0.deliver() }) }

    // MARK: Being waited for

    // The tickets of a settled promise are no longer valid. A former handler is released after unlocking.

    /// Removes a handler. Returns it, if it was still waiting.
    final func release(_ ticket: Ticket) -> Handler? { withState { $0.change(ticket) { _ in nil } } }

    final override func leave(_ ticket: Ticket) -> [PromiseStorage] { release(ticket) == nil ? [] : [self] }

    final override func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] {
        withState { $0.change(ticket) { $0.uncounted(holds: holds) } } == nil ? [] : [self]
    }

    final override var promises: [PromiseStorage] { [self] }

    final override func unfinished() -> Unfinished {
        withState { state in
            guard state.phase == .pending else { return Unfinished() }
            guard state.has(.cancelled) else { return Unfinished(marks: [.continues, .long]) }
            guard state.has(.guarantee) else { return Unfinished(cleanup: self) }
            return Unfinished(cleanup: state.cleanup as? PromiseStorage, marks: state.left)
        }
    }
}

/// The storage of a promise with its value. Its type parameter is the type of its field, `T?`, so that the code that
/// destroys the field is found through the class's metadata. With `T`, each deinit would ask the runtime for the
/// metadata of `T?`, which costs 7 to 18 % of a hop.
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
