/// A first-in, first-out queue in a reused ring buffer: `removeFirst` of an array would shift the remaining elements,
/// and `removeAll` costs as much as the rest of a hop.
package struct FIFO<Element> {
    /// The ring buffer. Its count is zero or a power of two.
    private var slots: ContiguousArray<Element?> = []
    private var first = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    @inline(__always) private func slot(_ index: Int) -> Int { (first &+ index) & (slots.count &- 1) }

    @inline(__always) package mutating func append(_ element: consuming Element) {
        if count == slots.count { grow() }
        slots[slot(count)] = element
        count &+= 1
    }

    @inline(never) private mutating func grow() {
        var grown = ContiguousArray<Element?>(repeating: nil, count: max(1, 2 * count))
        for index in 0..<count { grown[index] = slots[slot(index)] }
        (slots, first) = (grown, 0)
    }

    @inline(__always) package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        defer {
            first = slot(1)
            count &-= 1
            // Memory that was only needed for a burst is released.
            if count == 0, slots.count > 1 << 14 { slots = [] }
        }
        return slots[first].take()
    }
}

extension FIFO: Sendable where Element: Sendable {}
