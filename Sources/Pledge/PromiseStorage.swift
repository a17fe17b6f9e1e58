import Dispatch

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
        if let parting = state.takeSource().map({ source, ticket in Work { _ in source.unsubscribe(ticket) } }) {
            Trampoline.run(consume parting)
        }
    }

    // MARK: Inspecting

    /// Returns whether the promise is fulfilled; nil while it is pending. If `isHandled`, an error counts as handled.
    @usableFromInline final func isFulfilled(handling isHandled: Bool = true) -> Bool? {
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
        let source = state.takeSource()
        let hooks = state.takeHooks()
        if let only = state.settle(failure == nil ? .fulfilled : .rejected) {
            sendAndUnlock(only, isFirst: true)
        } else {
            let hasHandlers = state.has(.sending)
            unlock()
            if hasHandlers { Trampoline.holdingSteps(deliver) }
        }
        // As a step, because releasing what they hold may add further steps.
        if !hooks.isEmpty { Trampoline.run(Work { [hooks = consume hooks] _ in withExtendedLifetime(hooks) {} }) }
        withExtendedLifetime(source) {}
    }

    /// Sends one handler, and unlocks only after submitting it to its queue, so that a handler added because this
    /// promise has settled runs after it. If `isFirst`, inline handlers added before it has run wait for it.
    @inline(__always) final func sendAndUnlock(_ handler: consuming Handler, isFirst: Bool = false) {
        let queue = handler.queue(after: state.phase)
        handler.keepPromise()
        let work = (consume handler).work
        if queue.submit(work) { return unlock() }
        let isInlining = isFirst && queue.isInline
        if isInlining { state.set(.inlining) }
        unlock()
        // Released by the step, while its promise is the thread's current one.
        guard isInlining else { return Trampoline.run(consume work, now: !isFirst) }
        var step: Work? = consume work
        Trampoline.holdingSteps {
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
                due[index].handler?.keepPromise()
                guard let handler = due[index].handler.take() else { continue }
                let queue = handler.queue(after: outcome)
                let work = handler.work
                if queue.submit(work) { continue }
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

    final override func unsubscribe(_ ticket: Ticket) -> [PromiseStorage] { release(ticket) == nil ? [] : [self] }

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

internal import PledgeLock

extension PromiseStorage {
    /// Cancels the promise (if `unlessAwaited`, only without dependents), and the promises it waits for as far as
    /// nothing else waits for those. If `waits`, the promise rejects only after the cleanups further up have ended.
    ///
    /// First decides which promises to reach, from the end of the chain to its sources: each after all that wait for
    /// it. In the opposite order, they then reject, or wait for the cleanups further up.
    final func cancel(
        with error: any Error = PromiseError.cancelled, unlessAwaited: Bool = false, waits: Bool = true
    ) {
        let outer = pledge_promise()
        pledge_set_promise(Unmanaged.passUnretained(self).toOpaque())
        defer { pledge_set_promise(outer) }
        Trampoline.holdingSteps {
            var ahead = [self]
            var stops = [PromiseStorage]()
            var below = [PromiseStorage]()
            var reached: [(promise: PromiseStorage, hooks: [Run])] = []
            while let promise = ahead.popLast() {
                let isEnd = promise === self
                let own = isEnd ? error : PromiseError.cancelled
                if let hooks = promise.markCancelled(with: own, unlessAwaited: unlessAwaited || !isEnd) {
                    reached.append((promise, hooks))
                    ahead += promise.leaveSource()
                } else if promise.isCancelled {
                    stops.append(promise)
                }
            }
            while let (promise, hooks) = reached.popLast() {
                for hook in hooks { Trampoline.run(Work(promise: promise, body: hook)) }
                below += promise.finishCancel(waits: waits || promise !== self).filter { $0 !== reached.last?.promise }
            }
            // What another cancel reached meanwhile waits for a guarantee that now may take long.
            for promise in below where promise.isCancelled { promise.finishCancelAgain() }
            for promise in stops { while promise.breakCircle() {} }
        }
    }

    /// Marks the promise as canceled, and returns the hooks to run, or nil if there is nothing to do.
    private final func markCancelled(with error: any Error, unlessAwaited: Bool) -> [Run]? {
        withState { state in
            let hooks = state.cancel(unlessAwaited: unlessAwaited)
            // Whatever it would settle with, it settles with this error.
            if hooks != nil, !state.has(.guarantee) { failure = error }
            return hooks
        }
    }

    /// Stops waiting for the source or, if the promise has to wait on, stops counting as a dependent. Returns the
    /// promises to cancel unless something else waits for them.
    private final func leaveSource() -> [PromiseStorage] {
        let (source, ticket, isGuarantee, isCleanup) = withState { state in
            (state.source, state.ticket, state.has(.guarantee), state.has(.cleanup))
        }
        guard isGuarantee || isCleanup else { return source?.unsubscribe(ticket) ?? [] }
        return source?.uncount(ticket, holds: true) ?? []
    }

    /// Rejects a canceled promise once the cleanups further up have ended. An `ensure` waits for its closure, and a
    /// guarantee for its value: if that may now take long, returns what waits for the guarantee.
    private final func finishCancel(waits: Bool = true) -> [PromiseStorage] {
        let (source, ticket, isGuarantee, isCleanup) = withState { state in
            (state.source, state.ticket, state.has(.guarantee), state.has(.cleanup))
        }
        let left = waits ? source?.unfinished() ?? Unfinished() : Unfinished()
        if isGuarantee {
            if left.marks.contains(.long) { source?.uncount(ticket, holds: false) }
            return withState { $0.markUnfinished(left.cleanup, left.marks) }.map(\.work.promise)
        }
        if isCleanup {
            if left.marks.contains(.continues), run(after: left.cleanup, { $0.cleanUp() }) == nil { cleanUp() }
        } else if let cleanup = left.cleanup, let ticket = run(after: cleanup, { $0.rejectCanceled() }) {
            withState { $0.setSource(cleanup, ticket: ticket) }
        } else {
            rejectCanceled()
        }
        return []
    }

    /// Descends from a canceled guarantee that has begun to wait for another source.
    final func finishCancelAgain() {
        Trampoline.holdingSteps {
            var ahead = [self]
            while let promise = ahead.popLast() { ahead += promise.finishCancel().filter(\.isCancelled) }
        }
    }

    /// Finds promises that wait for one another in a circle after a cancel, from this one upward, and ends the wait of
    /// one of them. Returns whether there were any. The last cancel to reach a promise of the circle stops at one that
    /// was canceled before, and finds all of them canceled.
    private final func breakCircle() -> Bool {
        // A depth-first search: the promises on the path to the current one are open.
        var path = [self]
        var isOpen = [ObjectIdentifier: Bool]()
        while let promise = path.last {
            let isNew = isOpen[ObjectIdentifier(promise)] == nil
            isOpen[ObjectIdentifier(promise)] = isNew
            if !isNew { path.removeLast() }
            let source = promise.withState { isNew && $0.has(.cancelled) ? $0.source : nil }
            for next in source?.promises ?? [] where isOpen[ObjectIdentifier(next)] != false {
                guard isOpen[ObjectIdentifier(next)] == true else {
                    path.append(next)
                    continue
                }
                let circle = path.drop { $0 !== next }.filter { isOpen[ObjectIdentifier($0)] == true }
                // The source of the others, as it waits for the one at which the cancel began. A guarantee can't reject.
                guard let top = circle.last(where: { $0.withState { !$0.has(.guarantee) } }) else { continue }
                if top.withState({ $0.has(.cleanup) }) { top.cleanUp() } else { top.rejectCanceled() }
                return true
            }
        }
        return false
    }

    /// Runs the closure of a canceled `ensure`, unless it is due or has run.
    private final func cleanUp() {
        guard let (source, ticket) = withState({ $0.takeSource() }),
            let handler = (source as? PromiseStorage)?.release(ticket)
        else { return }
        lock()
        sendAndUnlock(handler)
    }

    /// Runs a step for this promise once a cleanup has ended. Returns nil if there is none, or it has already ended.
    private final func run(after cleanup: PromiseStorage?, _ step: @escaping Run) -> Ticket? {
        cleanup?.observe(for: .placeholder, .uncounted) { [weak self] _ in self.map(step) }
    }

    /// Returns a promise that settles once all of several cleanups have ended, or nil if there are none.
    static func all(_ cleanups: [PromiseStorage]) -> PromiseStorage? {
        guard let first = cleanups.first, cleanups.contains(where: { $0 !== first }) else { return cleanups.first }
        let all = Join(cleanups, until: { _ in false }).output { (all: Promise<Void>, _) in all.storage.fulfill(()) }
        // So that a circle is found through it.
        all.storage.withState { $0.set([.cancelled, .guarantee]) }
        return all.storage
    }

    /// Adds a hook that a cancel runs, or runs it immediately if the promise was already canceled. The hook receives
    /// the promise, which it must not retain.
    final func onCancel(_ hook: @escaping Run) {
        if withState({ $0.onCancel(hook) }) { Trampoline.run(Work(promise: self, body: hook)) }
    }
}

extension PromiseStorage {
    /// Makes this promise wait for `source`, and then passes it to `run`, to be settled. If `isNew`, no other code has
    /// a reference to this promise yet: not locking it saves a fifth of a hop.
    @usableFromInline final func subscribe(
        to source: PromiseStorage, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ interest: _Interest = [], isNew: Bool = false, _ run: consuming @escaping Run
    ) {
        inheritOrigin(from: source)
        let handler = Handler(
            work: Work(promise: self, body: run),
            queue: PromiseConfiguration.queue(for: queue, flags, endsChain: interest.contains(.end)), interest: interest
        )
        guard !isNew else { return _ = source.add(handler, for: self) }
        // The former source is released after unlocking.
        withState { $0.setSource(source) }
        guard let ticket = source.add(handler) else { return }
        lock()
        // Unless another thread has run the handler meanwhile, so that this promise now waits for another source.
        if state.source === source { state.setSource(source, ticket: ticket) }
        let isCancelled = state.has(.cancelled)
        let waits = state.has(.guarantee) && state.phase == .pending
        unlock()
        guard isCancelled else { return }
        // Nothing uses the outcome any more, or a guarantee asks its source to finish early. The ticket finds the
        // handler, which a cancel that no longer reaches the source may be removing at this moment.
        _ = waits ? source.uncount(ticket, holds: true) : source.unsubscribe(ticket)
        source.cancel(unlessAwaited: true)
        if waits { finishCancelAgain() }
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
        newborn?.state.setSource(self, ticket: ticket)
        unlock()
        return ticket
    }
}

// Where a chain began, for the message about an error that nothing handled. In debug builds only: nothing is stored or
// done in a release build.
extension PromiseStorage {
    /// Records where the promise was created, as the first of a chain: by the user, to whom our own files say nothing.
    @inlinable @inline(__always) final func begin(_ file: StaticString, _ line: UInt) {
        #if DEBUG
            if !Self.isOurs("\(file)") { origin = (file, line) }
        #endif
    }

    #if DEBUG
        /// The libraries of this package.
        static let libraries =
            ["Pledge", "PledgePromiseKit", "PledgeHTTP", "ExistKit", "MyDataHelpsKit", "PledgeHistory", "PledgeBatch"]

        @usableFromInline static func isOurs(_ file: String) -> Bool { libraries.contains { file.hasPrefix("\($0)/") } }
    #endif

    /// Records that the promise continues the chain of another, unless it is already part of one.
    @inline(__always) final func inheritOrigin(from source: PromiseStorage) {
        #if DEBUG
            let origin = source.locked { source.origin }
            locked { self.origin = self.origin ?? origin }
        #endif
    }

    /// The file and line, if known, read without the lock: for a promise that nothing else refers to any longer.
    final var place: String? {
        #if DEBUG
            origin.map { "\($0.file):\($0.line)" }
        #else
            nil
        #endif
    }
}
