/// Where a promise stands, what it waits for (`Source`), who waits for it (`Handler`), and what a cancel runs (`Hook`).
///
/// A value without locks, threads and queues: each method makes one step and returns what is to be done about it.
struct PromiseState<Source: AnyObject, Handler: Waiting, Hook>: ~Copyable {
    enum Phase: UInt8 { case pending, fulfilled, rejected }

    // In an order that leaves no gaps: a promise of an Int is to fit into 104 bytes.
    private(set) var source: Source?
    /// The handler with ticket 0. Most promises have no other.
    private var first: Handler?
    private(set) var phase = Phase.pending
    private var marks = Marks()
    // In the 40 bits there is room for: a promise that lives as long as its server may have given out 32 after weeks.
    private var ticketHigh: UInt8 = 0
    private var ticketLow: UInt32 = 0
    private var rare: Rare?

    /// What few promises have, in memory of its own.
    private final class Rare {
        /// Those that came after the first.
        @exclusivity(unchecked) var handlers = HandlerList<Handler>()
        /// What a cancel runs.
        @exclusivity(unchecked) var hooks: [Hook] = []
    }

    struct Marks: OptionSet {
        let rawValue: UInt8
        /// It may still be pending, if it outlives that.
        static var cancelled: Marks { Marks(rawValue: 1) }
        /// A guarantee's, or that of an `ensure`: a cancel asks its source to stop, but settles nothing by itself.
        static var outlivesCancel: Marks { Marks(rawValue: 2) }
        /// Somebody has been told the outcome, or has looked at it.
        static var observed: Marks { Marks(rawValue: 4) }
        /// Handlers are being sent; who comes meanwhile joins them.
        static var delivering: Marks { Marks(rawValue: 8) }
        /// Ticket 0 was given.
        static var begun: Marks { Marks(rawValue: 16) }
    }

    /// Its place in the list of the source.
    var ticket: Ticket { Ticket(ticketHigh) << 32 | Ticket(ticketLow) }

    func has(_ mark: Marks) -> Bool { marks.contains(mark) }
    mutating func set(_ mark: Marks, _ isSet: Bool = true) {
        marks = isSet ? marks.union(mark) : marks.subtracting(mark)
    }

    /// How many wait for it.
    var waiting: Int { (first == nil ? 0 : 1) + (rare?.handlers.count ?? 0) }
    /// How many of them count.
    var counted: Int { (first?.counts == true ? 1 : 0) + (rare?.handlers.counted ?? 0) }
    /// Is a handler that comes now to be sent at once, rather than added?
    var isOver: Bool { phase != .pending && !has(.delivering) }

    /// Settles a pending promise.
    ///
    /// - Returns: the first handler, if it is alone. Otherwise ``Marks/delivering`` says whether there are handlers, and
    ///   ``nextDue()`` has them.
    @inline(__always) mutating func settle(_ outcome: Phase) -> Handler? {
        phase = outcome
        guard waiting > 0 else { return nil }
        marks.insert(.observed)
        if rare?.handlers.count ?? 0 == 0 { return first.take() }
        marks.insert(.delivering)
        return nil
    }

    /// The handlers that are due; with none left, the delivery is over.
    mutating func nextDue() -> [HandlerList<Handler>.Entry] {
        var due = rare?.handlers.takeAll() ?? []
        if let first = first.take() { due.insert((first, 0), at: 0) }
        if due.isEmpty { marks.remove(.delivering) }
        return due
    }

    /// Adds a handler, and returns its ticket.
    @inline(__always) mutating func add(_ handler: consuming Handler) -> Ticket {
        if marks.insert(.begun).inserted {
            first = handler
            return 0
        }
        return makeRare().handlers.append(handler)
    }

    /// Changes a handler in place, or takes it out if it changes to nil.
    ///
    /// - Returns: what it was; nil if it is due, or gone.
    mutating func change(_ ticket: Ticket, _ change: (Handler) -> Handler?) -> Handler? {
        guard phase == .pending else { return nil }
        guard ticket == 0 else { return rare?.handlers.change(ticket, change) }
        defer { first = first.flatMap(change) }
        return first
    }

    /// Remembers what it waits for, and under which ticket, which no handler has until that is known.
    ///
    /// - Returns: what it waited for before.
    @inline(__always) @discardableResult mutating func wait(for source: Source, ticket: Ticket = .max) -> Source? {
        guard phase == .pending else { return nil }
        let former = self.source.take()
        self.source = source
        (ticketHigh, ticketLow) = (UInt8(truncatingIfNeeded: ticket >> 32), UInt32(truncatingIfNeeded: ticket))
        return former
    }

    /// Forgets what it waits for.
    @inline(__always)
    mutating func takeSource() -> (source: Source, ticket: Ticket)? { source.take().map { ($0, ticket) } }

    /// Cancels a pending promise: rejects it, unless it outlives that.
    ///
    /// - Returns: the hooks, to be run before the rejection is delivered and the source is left; nil if there is nothing
    ///   to do.
    mutating func cancel(unlessAwaited: Bool) -> [Hook]? {
        guard phase == .pending, !has(.cancelled), !unlessAwaited || counted == 0 else { return nil }
        marks.insert(.cancelled)
        if !has(.outlivesCancel) {
            phase = .rejected
            if waiting > 0 { marks.formUnion([.delivering, .observed]) }
        }
        return takeHooks()
    }

    /// Adds what a cancel is to run. Returns whether it is to be run at once, because the cancel has been.
    mutating func onCancel(_ hook: Hook) -> Bool {
        if phase == .pending, !has(.cancelled) { makeRare().hooks.append(hook) }
        return has(.cancelled)
    }

    /// The hooks, which nothing will run any more. To be let go after unlocking, as foreign code may run as they go.
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
