/// A handler that waits in a list.
protocol Waiting {
    /// Whether it counts as a dependent. If not, it doesn't stop a cancel from propagating.
    var counts: Bool { get }
}

/// The number of a handler, unique among all that were ever added to a list.
typealias Ticket = UInt64

/// Handlers in the order they were added, each with a ticket for removing it. A value type.
struct HandlerList<Handler: Waiting> {
    /// A handler and its ticket. A nil handler is the gap left by one that was removed.
    typealias Entry = (handler: Handler?, ticket: Ticket)

    /// Sorted by ticket, for binary search. Compacted once more than half of the entries are gaps.
    private var entries: [Entry] = []
    private var lastTicket: Ticket = 0
    private(set) var count = 0
    /// The number of handlers that count as dependents.
    private(set) var counted = 0

    /// Adds a handler and returns its ticket. Tickets are consecutive, starting at 1.
    mutating func append(_ handler: consuming Handler) -> Ticket {
        lastTicket += 1
        tally(handler, 1)
        entries.append((handler, lastTicket))
        return lastTicket
    }

    /// Replaces a handler, or removes it if `change` returns nil. Returns the former one; nil if it is not listed.
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

    var all: [Handler] { entries.compactMap(\.handler) }

    /// Removes and returns all entries, including gaps.
    mutating func takeAll() -> [Entry] {
        defer { self = HandlerList() }
        return entries
    }
}
