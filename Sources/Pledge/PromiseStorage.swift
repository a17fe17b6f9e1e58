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
        } else if !isCancel, !state.has(.ensure) {
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

/// The state of a promise: its phase, its source (`Source`), its handlers (`Handler`), and its cancel hooks (`Hook`).
///
/// The state has no locks, threads, or queues: each method performs one step and returns what the caller has to do
/// next.
struct PromiseState<Source: AnyObject, Handler: Waiting, Hook>: ~Copyable {
    enum Phase { case pending, fulfilled, rejected }

    // The order leaves no gaps: a promise of an Int must fit into 104 bytes.
    private(set) var source: Source?
    /// The handler with ticket 0. Most promises have no other.
    private var first: Handler?
    // A ticket has 40 bits, the space available here. 32 bits may not be enough for a promise that lives as long as its
    // server: they could run out after weeks.
    private var ticketHigh: UInt8 = 0
    private var marks = Marks()
    private var ticketLow: UInt32 = 0
    private var rare: Rare?

    /// The state that few promises have, allocated separately.
    private final class Rare {
        /// The handlers added after the first.
        @exclusivity(unchecked) var handlers = HandlerList<Handler>()
        /// The closures that a cancel runs.
        @exclusivity(unchecked) var hooks: [Hook] = []
        /// For a canceled guarantee, a promise that settles once the cleanups further up have ended.
        @exclusivity(unchecked) weak var cleanup: Source?
    }

    struct Marks: OptionSet {
        let rawValue: UInt16
        /// The promise was canceled. It may still be pending, if it has to wait.
        static var cancelled: Marks { Marks(rawValue: 1) }
        /// The promise belongs to a guarantee: a cancel asks its source to finish early, but settles nothing.
        static var guarantee: Marks { Marks(rawValue: 2) }
        /// The promise belongs to an `ensure`: once canceled, it waits for its source, and then for its closure.
        static var ensure: Marks { Marks(rawValue: 4) }
        /// The promise is a canceled guarantee whose source continues for another dependent.
        static var continues: Marks { Marks(rawValue: 8) }
        /// The promise is a canceled guarantee whose value may take long: its source continues for another dependent,
        /// or the guarantee was canceled before and has no source that could end. Canceled promises that wait for this
        /// guarantee aren't kept alive.
        static var long: Marks { Marks(rawValue: 2048) }
        /// Each caller has a promise of its own that follows this one. Canceling a caller's promise doesn't cancel this
        /// one.
        static var shared: Marks { Marks(rawValue: 16) }
        /// The outcome was delivered to a handler, or was read.
        static var observed: Marks { Marks(rawValue: 32) }
        /// Handlers are being sent to their queues. Handlers added meanwhile are sent with them.
        static var sending: Marks { Marks(rawValue: 64) }
        /// Inline handlers have yet to run. Inline handlers added meanwhile run after them.
        static var inlining: Marks { Marks(rawValue: 128) }
        /// Ticket 0 has been assigned.
        static var begun: Marks { Marks(rawValue: 256) }
        // The phase is stored as marks, because there is no room for a byte of its own.
        static var fulfilled: Marks { Marks(rawValue: 512) }
        static var rejected: Marks { Marks(rawValue: 1024) }
    }

    var phase: Phase { has(.fulfilled) ? .fulfilled : has(.rejected) ? .rejected : .pending }

    /// The ticket, in the source, of the handler that waits for this promise.
    var ticket: Ticket { Ticket(ticketHigh) << 32 | Ticket(ticketLow) }

    func has(_ mark: Marks) -> Bool { marks.contains(mark) }
    mutating func set(_ mark: Marks) { marks.formUnion(mark) }

    /// The number of handlers that wait for the promise, and the number of those that count as dependents.
    var waiting: Int { (first == nil ? 0 : 1) + (rare?.handlers.count ?? 0) }
    var counted: Int { (first?.counts == true ? 1 : 0) + (rare?.handlers.counted ?? 0) }

    /// Whether a settled promise sends a new handler immediately, rather than adding it.
    func sendsNow(inline isInline: Bool) -> Bool { !has(.sending) && !(isInline && has(.inlining)) }

    /// Settles a pending promise. Returns the first handler, if it is the only one. Otherwise, ``Marks/sending``
    /// indicates whether there are handlers, which ``nextDue(inlining:)`` returns.
    @inline(__always) mutating func settle(_ outcome: Phase) -> Handler? {
        marks.insert(outcome == .fulfilled ? .fulfilled : .rejected)
        guard waiting > 0 else { return nil }
        marks.insert(.observed)
        if rare?.handlers.count ?? 0 == 0 { return first.take() }
        marks.insert(.sending)
        return nil
    }

    /// Removes and returns the handlers that are due, or returns none if all have been sent. Pass true for `isInlining`
    /// if some of the handlers already sent are inline and have yet to run.
    mutating func nextDue(inlining isInlining: Bool) -> [HandlerList<Handler>.Entry] {
        var due = rare?.handlers.takeAll() ?? []
        if let first = first.take() { due.insert((first, 0), at: 0) }
        if due.isEmpty {
            marks.subtract([.sending, .inlining])
            if isInlining { marks.insert(.inlining) }
        }
        return due
    }

    @inline(__always) mutating func add(_ handler: consuming Handler) -> Ticket {
        if marks.insert(.begun).inserted {
            first = handler
            return 0
        }
        return makeRare().handlers.append(handler)
    }

    /// Replaces a handler, or removes it if `change` returns nil. Returns the former handler, or nil if it is due or
    /// was removed.
    mutating func change(_ ticket: Ticket, _ change: (Handler) -> Handler?) -> Handler? {
        guard phase == .pending else { return nil }
        guard ticket == 0 else { return rare?.handlers.change(ticket, change) }
        defer { first = first.flatMap(change) }
        return first
    }

    /// Sets the source, and the ticket of this promise's handler there. The default ticket, for a handler not added
    /// yet, matches no handler. Returns the former source.
    @inline(__always) @discardableResult mutating func setSource(_ source: Source, ticket: Ticket = .max) -> Source? {
        guard phase == .pending else { return nil }
        defer { self.source = source }
        ticketHigh = UInt8(truncatingIfNeeded: ticket >> 32)
        ticketLow = UInt32(truncatingIfNeeded: ticket)
        return self.source
    }

    /// Makes a pending promise that has no source wait for one. Returns false for any other.
    mutating func beginWaiting(for source: Source) -> Bool {
        guard phase == .pending, self.source == nil else { return false }
        setSource(source)
        return true
    }

    @inline(__always)
    mutating func takeSource() -> (source: Source, ticket: Ticket)? { source.take().map { ($0, ticket) } }

    /// Marks a pending promise as canceled, but if `unlessAwaited`, only if it has no dependents. Returns the hooks to
    /// run, or nil if there is nothing to do.
    mutating func cancel(unlessAwaited: Bool) -> [Hook]? {
        if has(.cancelled), source == nil { marks.insert(.long) }
        // Rejected promises: the dependent that cancels would have handled the error, so the error counts as observed.
        if unlessAwaited, phase == .rejected { marks.insert(.observed) }
        guard phase == .pending, !has(.cancelled) else { return nil }
        guard !unlessAwaited || counted == 0 && !has(.shared) else { return nil }
        marks.insert(.cancelled)
        return takeHooks()
    }

    /// What a cancel leaves unfinished above a canceled guarantee: `cleanup` is a promise that settles once the
    /// cleanups further up have ended, and `left` has the marks ``Marks/continues`` and ``Marks/long``.
    var cleanup: Source? { rare?.cleanup }
    var left: Marks { marks.intersection([.continues, .long]) }

    /// Stores `cleanup` and adds the marks in `left`. If any of the marks is new, returns the handlers of canceled
    /// promises that wait for this one.
    mutating func markUnfinished(_ cleanup: Source?, _ left: Marks) -> [Handler] {
        if cleanup != nil || rare != nil { makeRare().cleanup = cleanup }
        guard !marks.isSuperset(of: left) else { return [] }
        marks.formUnion(left)
        return ((first.map { [$0] } ?? []) + (rare?.handlers.all ?? [])).filter { !$0.counts }
    }

    /// Adds a cancel hook. Returns whether to run it immediately, because the promise was already canceled.
    mutating func onCancel(_ hook: Hook) -> Bool {
        if phase == .pending, !has(.cancelled) { makeRare().hooks.append(hook) }
        return has(.cancelled)
    }

    /// Removes and returns the hooks. Release them after unlocking, because that may run foreign code.
    mutating func takeHooks() -> [Hook] {
        defer { rare?.hooks = [] }
        return rare?.hooks ?? []
    }

    private mutating func makeRare() -> Rare {
        let made = rare ?? Rare()
        rare = made
        return made
    }
}
