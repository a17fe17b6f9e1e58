/// Where a promise stands, what it waits for, who waits for it, and what a cancel stops: all but its outcome.
///
/// A value without locks, threads and queues. Each method makes one step and returns what is to be done about it, by
/// whoever holds the state, after unlocking. `Source` is what it waits for, `Handler` is what waits for it, and `Hook` is
/// what a cancel runs.
struct PromiseState<Source, Handler, Hook>: ~Copyable {
    enum Phase: UInt8 { case pending, fulfilled, rejected }

    private struct Marks: OptionSet {
        let rawValue: UInt8
        static var cancelled: Marks { Marks(rawValue: 1) }
        static var outlivesCancel: Marks { Marks(rawValue: 2) }
        static var observed: Marks { Marks(rawValue: 4) }
        static var delivering: Marks { Marks(rawValue: 8) }
        static var asleep: Marks { Marks(rawValue: 16) }
    }

    private(set) var phase = Phase.pending
    private var marks = Marks()
    /// Its place in the list of the source.
    private var ticket: UInt32 = 0
    private var source: Source?
    private var handlers = HandlerList<Handler>()
    /// What a cancel runs; and, while asleep, what wakes it.
    private var hooks: [Hook] = []

    /// Was it cancelled? It may then still be pending, if it outlives that.
    var isCancelled: Bool { marks.contains(.cancelled) }
    /// Has anybody been told the outcome, or looked at it?
    var isObserved: Bool { marks.contains(.observed) }
    /// How many wait for it.
    var waiting: Int { handlers.count }
    /// Did it stop waiting for its source, because it was cancelled and nobody waits for it?
    var isAsleep: Bool { marks.contains(.asleep) }
    /// A guarantee's, or that of an `ensure`: a cancel asks its source to stop, but settles nothing by itself.
    var outlivesCancel: Bool {
        get { marks.contains(.outlivesCancel) }
        set { if newValue { marks.insert(.outlivesCancel) } else { marks.remove(.outlivesCancel) } }
    }

    mutating func markObserved() { marks.insert(.observed) }

    // MARK: Settling

    /// What settling leaves to do.
    struct Settled: ~Copyable {
        /// The only handler. It is to be sent before unlocking: who comes later is to come after it.
        var only: Handler?
        /// Are there several, to be asked for with ``PromiseState/nextDue()``?
        var isDelivering = false
        /// What is no longer needed, to be let go after unlocking, as foreign code may run as it goes.
        var rest: (source: Source?, hooks: [Hook])
    }

    /// Settles a pending promise.
    @inline(__always)
    mutating func settle(_ outcome: Phase) -> Settled {
        phase = outcome
        var settled = Settled(rest: (source.take(), hooks))
        hooks = []
        if handlers.isEmpty { return settled }
        marks.insert(.observed)
        settled.only = handlers.takeOnly()
        if settled.only == nil {
            marks.insert(.delivering)
            settled.isDelivering = true
        }
        return settled
    }

    /// The handlers that are due; with none left, the delivery is over.
    mutating func nextDue() -> [Handler] {
        let due = handlers.takeAll()
        if due.isEmpty { marks.remove(.delivering) }
        return due
    }

    // MARK: Being waited for

    /// What becomes of a new handler.
    enum Added {
        /// It is to be sent before unlocking.
        case due(Handler)
        /// It waits, with this ticket; the hooks are to be run.
        case waits(ticket: UInt32, waking: [Hook])
    }

    @inline(__always)
    mutating func add(_ handler: consuming Handler) -> Added {
        guard phase == .pending || marks.contains(.delivering) else {
            marks.insert(.observed)
            return .due(handler)
        }
        let ticket = handlers.append(handler)
        return .waits(ticket: ticket, waking: marks.contains(.asleep) ? wake() : [])
    }

    /// Takes a handler out that no longer wants to know; nil if it is due, or gone.
    mutating func remove(_ ticket: UInt32) -> Handler? {
        phase == .pending ? handlers.remove(ticket) : nil
    }

    // MARK: Waiting

    /// Remembers what it waits for.
    @inline(__always)
    mutating func wait(for source: Source, ticket: UInt32) {
        guard phase == .pending else { return }
        self.source = source
        self.ticket = ticket
    }

    /// Forgets what it waits for.
    mutating func takeSource() -> (source: Source, ticket: UInt32)? {
        source.take().map { ($0, ticket) }
    }

    /// Stops waiting, unless somebody waits for it, until somebody does: then `hook` makes it wait again.
    ///
    /// - Returns: whether it sleeps; if not, the hook is to be run at once, provided the promise is pending.
    mutating func sleep(until hook: Hook) -> Bool {
        guard phase == .pending, handlers.isEmpty else { return false }
        marks.insert(.asleep)
        hooks = [hook]
        return true
    }

    mutating func wake() -> [Hook] {
        guard marks.remove(.asleep) != nil else { return [] }
        defer { hooks = [] }
        return hooks
    }

    // MARK: Cancelling

    /// What a cancel leaves to do, in this order: run the hooks; deliver the rejection; leave the source.
    struct Cancelled {
        let hooks: [Hook]
        /// Is the promise rejected now, and its error to be set? If not, it outlives the cancel, and keeps its source.
        let isRejected: Bool
        let source: (source: Source, ticket: UInt32)?
    }

    /// The first cancel of a pending promise, if that is one; nil if there is nothing to do.
    mutating func cancel(unlessAwaited: Bool) -> Cancelled? {
        guard phase == .pending, !isCancelled, !unlessAwaited || handlers.isEmpty else { return nil }
        marks.insert(.cancelled)
        defer { hooks = [] }
        if outlivesCancel { return Cancelled(hooks: hooks, isRejected: false, source: nil) }
        phase = .rejected
        if !handlers.isEmpty { marks.formUnion([.delivering, .observed]) }
        return Cancelled(hooks: hooks, isRejected: true, source: takeSource())
    }

    /// Adds what a cancel is to run.
    ///
    /// - Returns: whether it is to be run at once, because the cancel has been.
    mutating func onCancel(_ hook: Hook) -> Bool {
        if phase == .pending, !isCancelled { hooks.append(hook) }
        return isCancelled
    }
}
