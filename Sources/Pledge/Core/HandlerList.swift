/// What waits in a list.
protocol Waiting {
    /// Would it miss what it waits for? If not, a cancel climbs past it.
    var counts: Bool { get }
}

/// Who waits, among all that ever did.
typealias Ticket = UInt64

/// Handlers in the order in which they came, each with a ticket to take it out again. A value.
struct HandlerList<Handler: Waiting> {
    /// Without a handler it is the gap that one left.
    typealias Entry = (handler: Handler?, ticket: Ticket)

    /// In the order of their tickets, so that one of many is found quickly. Gaps are closed when they are most of it.
    private var entries: [Entry] = []
    private var lastTicket: Ticket = 0
    private(set) var count = 0
    /// How many of them count.
    private(set) var counted = 0

    /// Adds a handler, and returns its ticket: 1 for the first of all, and then one more each time.
    mutating func append(_ handler: consuming Handler) -> Ticket {
        lastTicket += 1
        tally(handler, 1)
        entries.append((handler, lastTicket))
        return lastTicket
    }

    /// Changes a handler in place, or takes it out if it changes to nil.
    ///
    /// - Returns: what it was; nil if it is no longer there.
    mutating func change(_ ticket: Ticket, _ change: (Handler) -> Handler?) -> Handler? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].ticket == ticket, let former = entries[low].handler else { return nil }
        let handler = change(former)
        tally(former, -1)
        if let handler { tally(handler, 1) }
        entries[low].handler = handler
        if entries.count > 16, entries.count > 2 * count { entries.removeAll { $0.handler == nil } }
        return former
    }

    private mutating func tally(_ handler: Handler, _ step: Int) {
        count += step
        if handler.counts { counted += step }
    }

    /// Takes all out, gaps included.
    mutating func takeAll() -> [Entry] {
        defer { self = HandlerList() }
        return entries
    }
}
