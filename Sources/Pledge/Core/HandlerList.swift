/// Handlers in the order in which they came, each with a ticket to take it out again. A value.
struct HandlerList<Handler> {
    /// In the order of their tickets, so that one of many is found quickly. What was taken out leaves a gap. Gaps are
    /// closed when they are most of the list, but for one at its end, which remembers the tickets given: who comes later
    /// must not be taken for who had a ticket before.
    private var entries: [(ticket: UInt32, handler: Handler?)] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a handler, and returns its ticket: 1 or more.
    mutating func append(_ handler: consuming Handler) -> UInt32 {
        let ticket = (entries.last?.ticket ?? 0) + 1
        entries.append((ticket, handler))
        count += 1
        return ticket
    }

    /// Takes a handler out; nil if it is no longer there.
    mutating func remove(_ ticket: UInt32) -> Handler? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].ticket == ticket, let handler = entries[low].handler.take() else {
            return nil
        }
        count -= 1
        if entries.count > 16, entries.count > 2 * count { closeGaps() }
        return handler
    }

    private mutating func closeGaps() {
        let last = entries.count - 1
        entries = entries.enumerated().filter { $0.offset == last || $0.element.handler != nil }.map(\.element)
    }

    /// Takes all out.
    mutating func takeAll() -> [Handler] {
        defer { self = HandlerList() }
        return entries.compactMap(\.handler)
    }
}
