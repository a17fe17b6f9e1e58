/// Handlers in the order in which they came, each with a ticket to take it out again. A value.
struct HandlerList<Handler> {
    /// In ascending order, so that one of many is found quickly.
    private var tickets: [UInt32] = []
    /// What was taken out leaves a gap. Gaps are closed when they are most of the list, but for one at its end, whose
    /// ticket is not to be given again.
    private var handlers: [Handler?] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Was there never a handler?
    var isUnused: Bool { tickets.isEmpty }

    /// Takes over the handler that was alone before, or the gap that it left.
    mutating func begin(with first: consuming Handler?) {
        tickets = [0]
        count = first == nil ? 0 : 1
        handlers = [first]
    }

    /// Adds a handler, and returns its ticket: 0 for the first of all, and then one more each time.
    mutating func append(_ handler: consuming Handler) -> UInt32 {
        let ticket = tickets.last.map { $0 + 1 } ?? 0
        tickets.append(ticket)
        handlers.append(handler)
        count += 1
        return ticket
    }

    /// Takes a handler out; nil if it is no longer there.
    mutating func remove(_ ticket: UInt32) -> Handler? {
        var (low, high) = (0, tickets.count)
        while low < high {
            let middle = (low + high) / 2
            if tickets[middle] < ticket { low = middle + 1 } else { high = middle }
        }
        guard low < tickets.count, tickets[low] == ticket, let handler = handlers[low].take() else { return nil }
        count -= 1
        if tickets.count > 16, tickets.count > 2 * count { closeGaps() }
        return handler
    }

    private mutating func closeGaps() {
        let kept = handlers.indices.filter { handlers[$0] != nil || $0 == handlers.count - 1 }
        (tickets, handlers) = (kept.map { tickets[$0] }, kept.map { handlers[$0] })
    }

    /// Takes all out, gaps included.
    mutating func takeAll() -> [Handler?] {
        defer { self = HandlerList() }
        return handlers
    }
}
