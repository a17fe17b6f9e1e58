/// A first-in, first-out queue that reuses a ring buffer. An array would be slower: its `removeFirst` shifts the
/// remaining elements, and its `removeAll` costs as much as the rest of a hop of a chain.
package struct FIFO<Element> {
    /// The ring buffer. Its size is zero or a power of two.
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
        slots = grown
        first = 0
    }

    @inline(__always) package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        defer {
            first = slot(1)
            count &-= 1
            // After a burst that needed much memory, releases the memory.
            if count == 0, slots.count > 1 << 14 { slots = [] }
        }
        return slots[first].take()
    }

    package mutating func takeAll() -> [Element] {
        var all: [Element] = []
        while let element = popFirst() { all.append(element) }
        return all
    }
}

extension FIFO: Sendable where Element: Sendable {}
