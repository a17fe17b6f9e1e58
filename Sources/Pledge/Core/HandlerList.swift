/// Handlers in the order in which they came, each with a ticket to take it out again. A value.
///
/// The first has a place of its own, as most promises have one handler and no more.
struct HandlerList<Handler> {
    private var first: Handler?
    /// The first ticket, 0, is given once: who comes again later must not be taken for who had it.
    private var hasBegun = false
    /// How many of `others` were not taken out.
    private var live: UInt32 = 0
    /// In the order of their tickets, so that one of many is found quickly. What was taken out leaves a gap; gaps are
    /// closed when they are most of the list, but for the last, which remembers the tickets given.
    private var others: [(ticket: UInt32, handler: Handler?)] = []

    var count: Int { (first == nil ? 0 : 1) + Int(live) }
    var isEmpty: Bool { first == nil && live == 0 }

    /// The only handler, taken out, if there is one and no more.
    @inline(__always)
    mutating func takeOnly() -> Handler? {
        live == 0 ? first.take() : nil
    }

    /// Adds a handler, and returns its ticket.
    @inline(__always)
    mutating func append(_ handler: consuming Handler) -> UInt32 {
        guard hasBegun else {
            hasBegun = true
            first = handler
            return 0
        }
        return appendToOthers(handler)
    }

    private mutating func appendToOthers(_ handler: consuming Handler) -> UInt32 {
        let ticket = (others.last?.ticket ?? 0) + 1
        others.append((ticket, handler))
        live += 1
        return ticket
    }

    /// Takes a handler out; nil if it is no longer there.
    mutating func remove(_ ticket: UInt32) -> Handler? {
        guard ticket > 0 else { return first.take() }
        var (low, high) = (0, others.count)
        while low < high {
            let middle = (low + high) / 2
            if others[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        guard low < others.count, others[low].ticket == ticket, let handler = others[low].handler.take() else {
            return nil
        }
        live -= 1
        if others.count > 16, others.count > 2 * Int(live) { closeGaps() }
        return handler
    }

    private mutating func closeGaps() {
        let last = others.count - 1
        others = others.enumerated().filter { $0.offset == last || $0.element.handler != nil }.map(\.element)
    }

    /// Takes all out.
    mutating func takeAll() -> [Handler] {
        let all = (first.take().map { [$0] } ?? []) + others.compactMap(\.handler)
        others = []
        live = 0
        return all
    }
}
