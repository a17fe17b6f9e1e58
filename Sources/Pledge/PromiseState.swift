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
        static var cleanup: Marks { Marks(rawValue: 4) }
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
    mutating func follow(_ source: Source) -> Bool {
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
