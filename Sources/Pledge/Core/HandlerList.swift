/// What waits in a list.
protocol Waiting {
    /// Would it miss what it waits for? If not, a cancel climbs past it.
    var counts: Bool { get }
}

/// Handlers in the order in which they came, each with a ticket to take it out again. A value.
struct HandlerList<Handler: Waiting> {
    /// In ascending order, so that one of many is found quickly.
    private var tickets: [UInt32] = []
    /// What was taken out leaves a gap. Gaps are closed when they are most of the list, but for one at its end, whose
    /// ticket is not to be given again.
    private var handlers: [Handler?] = []
    private(set) var count = 0
    /// How many of them count.
    private(set) var counted = 0

    var isEmpty: Bool { count == 0 }

    /// Was there never a handler?
    var isUnused: Bool { tickets.isEmpty }

    /// Takes over the handler that was alone before, or the gap that it left.
    mutating func begin(with first: consuming Handler?) {
        (tickets, handlers) = ([0], [nil])
        replace(at: 0, by: first)
    }

    /// Adds a handler, and returns its ticket: 0 for the first of all, and then one more each time.
    mutating func append(_ handler: consuming Handler) -> UInt32 {
        let ticket = tickets.last.map { $0 + 1 } ?? 0
        tickets.append(ticket)
        count += 1
        if handler.counts { counted += 1 }
        handlers.append(handler)
        return ticket
    }

    /// Changes a handler in place, or takes it out if it changes to nil.
    ///
    /// - Returns: what it was; nil if it is no longer there.
    mutating func change(_ ticket: UInt32, _ change: (Handler) -> Handler?) -> Handler? {
        var (low, high) = (0, tickets.count)
        while low < high {
            let middle = (low + high) / 2
            if tickets[middle] < ticket { low = middle + 1 } else { high = middle }
        }
        guard low < tickets.count, tickets[low] == ticket, let handler = handlers[low] else { return nil }
        replace(at: low, by: change(handler))
        if tickets.count > 16, tickets.count > 2 * count { closeGaps() }
        return handler
    }

    private mutating func replace(at index: Int, by handler: Handler?) {
        for (handler, step) in [(handlers[index], -1), (handler, 1)] {
            guard let handler else { continue }
            count += step
            if handler.counts { counted += step }
        }
        handlers[index] = handler
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
