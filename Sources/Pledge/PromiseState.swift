/// The state of a promise: its phase, its source, its handlers, and its cancel hooks.
///
/// The state has no locks, threads, or queues. Each method performs one step, and returns what the caller has to do
/// next.
struct PromiseState<Source: AnyObject, Handler: Waiting, Hook>: ~Copyable {
    enum Phase { case pending, fulfilled, rejected }

    // The order of the properties leaves no gaps in memory, because the promise of an `Int` must fit into 104 bytes.
    private(set) var source: Source?
    /// The handler with ticket 0. Most promises have no other handler.
    private var first: Handler?
    // A ticket has 40 bits, as there is no space for more. 32 bits might not be enough: in a promise that lives as long
    // as its server, the tickets could run out after some weeks.
    private var ticketHigh: UInt8 = 0
    private var marks = Marks()
    private var ticketLow: UInt32 = 0
    private var rare: Rare?

    /// The part of the state that few promises need. It is allocated separately.
    private final class Rare {
        // Exclusivity isn't checked, because the lock of the promise's storage guarantees it.

        /// All handlers except the first.
        @exclusivity(unchecked) var handlers = HandlerList<Handler>()
        /// The closures that a cancel runs.
        @exclusivity(unchecked) var hooks: [Hook] = []
        /// For a canceled guarantee: a promise that settles once the cleanups above the guarantee have ended.
        @exclusivity(unchecked) weak var cleanup: Source?
    }

    struct Marks: OptionSet {
        let rawValue: UInt16
        /// The promise was canceled. It may still be pending, because it waits for a cleanup, a closure, or a value.
        static var cancelled: Marks { Marks(rawValue: 1) }
        /// The promise belongs to a guarantee. A cancel asks its source to finish early, but doesn't settle the
        /// promise.
        static var guarantee: Marks { Marks(rawValue: 2) }
        /// The promise belongs to an `ensure`. After a cancel, it waits for its source, and then for its closure.
        static var ensure: Marks { Marks(rawValue: 4) }
        /// The promise belongs to a canceled guarantee, and its source continues for another dependent.
        static var continues: Marks { Marks(rawValue: 8) }
        /// The promise belongs to a canceled guarantee whose value may take long. Either its source continues for
        /// another dependent, or the guarantee has no source and is canceled a second time. Canceled promises that wait
        /// for this guarantee aren't kept alive.
        static var long: Marks { Marks(rawValue: 2048) }
        /// Each caller has a separate promise that follows this promise (`shared()`). Canceling a caller's promise
        /// doesn't cancel this promise.
        static var shared: Marks { Marks(rawValue: 16) }
        /// The outcome was delivered to a handler, or was read. An error no longer counts as unhandled.
        static var observed: Marks { Marks(rawValue: 32) }
        /// Handlers are being sent to their queues. Handlers that are added meanwhile are sent after them.
        static var sending: Marks { Marks(rawValue: 64) }
        /// Some inline handlers haven't run yet. Inline handlers that are added meanwhile run after them.
        static var inlining: Marks { Marks(rawValue: 128) }
        /// Ticket 0 was assigned.
        static var begun: Marks { Marks(rawValue: 256) }
        // The phase is stored in two marks, because there is no space for another byte.
        static var fulfilled: Marks { Marks(rawValue: 512) }
        static var rejected: Marks { Marks(rawValue: 1024) }
    }

    var isFulfilled: Bool? { phase == .pending ? nil : phase == .fulfilled }
    var phase: Phase { has(.fulfilled) ? .fulfilled : has(.rejected) ? .rejected : .pending }

    /// The operators that a cancel treats differently from all others.
    enum Role { case guarantee, ensure, other }
    var role: Role { has(.guarantee) ? .guarantee : has(.ensure) ? .ensure : .other }

    /// The ticket of this promise's handler at the source.
    var ticket: Ticket { Ticket(ticketHigh) << 32 | Ticket(ticketLow) }

    func has(_ mark: Marks) -> Bool { marks.contains(mark) }
    mutating func set(_ mark: Marks) { marks.formUnion(mark) }

    /// The number of handlers that wait for the promise, and how many of these count as dependents.
    var waiting: Int { (first == nil ? 0 : 1) + (rare?.handlers.count ?? 0) }
    var counted: Int { (first?.counts == true ? 1 : 0) + (rare?.handlers.counted ?? 0) }

    /// Whether a promise that has settled sends a new handler immediately. Otherwise, the handler is added, and is sent
    /// later.
    func sendsNow(inline isInline: Bool) -> Bool { !has(.sending) && !(isInline && has(.inlining)) }

    /// Settles a pending promise. If it has a single handler, removes and returns this handler. Otherwise returns nil.
    ///
    /// If there are several handlers, sets ``Marks/sending``. The caller then gets the handlers from
    /// ``nextDue(inlining:)``.
    @inline(__always) mutating func settle(_ outcome: Phase) -> Handler? {
        marks.insert(outcome == .fulfilled ? .fulfilled : .rejected)
        guard waiting > 0 else { return nil }
        marks.insert(.observed)
        if rare?.handlers.count ?? 0 == 0 { return first.take() }
        marks.insert(.sending)
        return nil
    }

    /// Removes and returns the handlers that are due. Returns an empty array if all handlers have been sent.
    ///
    /// - Parameter isInlining: Whether some of the handlers that were already sent are inline and haven't run yet.
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

    /// Replaces the handler with this ticket, or removes it if `change` returns nil. Returns the handler that was there
    /// before, or nil if that handler was already removed or is being sent.
    mutating func change(_ ticket: Ticket, _ change: (Handler) -> Handler?) -> Handler? {
        guard phase == .pending else { return nil }
        guard ticket == 0 else { return rare?.handlers.change(ticket, change) }
        defer { first = first.flatMap(change) }
        return first
    }

    /// Sets the source, and the ticket of this promise's handler at the source. Returns the former source.
    ///
    /// - Parameter ticket: The default matches no handler. It is used if the handler hasn't been added yet.
    @inline(__always) @discardableResult mutating func setSource(_ source: Source, ticket: Ticket = .max) -> Source? {
        guard phase == .pending else { return nil }
        defer { self.source = source }
        ticketHigh = UInt8(truncatingIfNeeded: ticket >> 32)
        ticketLow = UInt32(truncatingIfNeeded: ticket)
        return self.source
    }

    /// Makes the promise wait for `source`, and returns true, if the promise is pending and has no source yet.
    /// Otherwise returns false.
    mutating func beginWaiting(for source: Source) -> Bool {
        guard phase == .pending, self.source == nil else { return false }
        setSource(source)
        return true
    }

    @inline(__always)
    mutating func takeSource() -> (source: Source, ticket: Ticket)? { source.take().map { ($0, ticket) } }

    /// Marks the promise as canceled, and returns the cancel hooks to run. Returns nil if the promise isn't pending, or
    /// was already canceled, or has dependents that `unlessAwaited` protects.
    ///
    /// - Parameter unlessAwaited: Whether the promise is canceled only if it has no dependents.
    mutating func cancel(unlessAwaited: Bool) -> [Hook]? {
        if has(.cancelled), source == nil { marks.insert(.long) }
        // This promise was already rejected, and the cancel comes from a promise that waited for it. Without the
        // cancel, that promise would have received the error. So the error counts as observed.
        if unlessAwaited, phase == .rejected { marks.insert(.observed) }
        guard phase == .pending, !has(.cancelled) else { return nil }
        guard !unlessAwaited || counted == 0 && !has(.shared) else { return nil }
        marks.insert(.cancelled)
        return takeHooks()
    }

    /// What a cancel leaves unfinished above a canceled guarantee. `cleanup` is a promise that settles once the
    /// cleanups above the guarantee have ended. `left` contains the marks ``Marks/continues`` and ``Marks/long``, if
    /// they are set.
    var cleanup: Source? { rare?.cleanup }
    var left: Marks { marks.intersection([.continues, .long]) }

    /// Stores what a cancel leaves unfinished above a canceled guarantee. If this sets a mark that wasn't set before,
    /// returns the handlers of the canceled promises that wait for the guarantee.
    mutating func markUnfinished(_ cleanup: Source?, _ left: Marks) -> [Handler] {
        if cleanup != nil || rare != nil { makeRare().cleanup = cleanup }
        guard !marks.isSuperset(of: left) else { return [] }
        marks.formUnion(left)
        return ((first.map { [$0] } ?? []) + (rare?.handlers.all ?? [])).filter { !$0.counts }
    }

    /// Adds a cancel hook. Returns whether the caller must run it immediately, because the promise was already
    /// canceled.
    mutating func onCancel(_ hook: Hook) -> Bool {
        if phase == .pending, !has(.cancelled) { makeRare().hooks.append(hook) }
        return has(.cancelled)
    }

    /// Removes and returns the cancel hooks. The caller must release them only after unlocking, because releasing them
    /// may run foreign code.
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
