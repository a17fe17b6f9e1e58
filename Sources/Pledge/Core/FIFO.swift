/// A list that things are added to at one end and taken from at the other.
///
/// Its memory is used again and again: `removeFirst` of an array would move the rest, and `removeAll` costs as much as
/// the rest of a hop.
struct FIFO<Element> {
    private var slots: ContiguousArray<Element?> = []
    private var first = 0
    private var end = 0

    var isEmpty: Bool { first == end }

    @inline(__always) mutating func append(_ element: consuming Element) {
        if end < slots.count { slots[end] = element } else { slots.append(element) }
        end += 1
    }

    @inline(__always) mutating func popFirst() -> Element? {
        guard first < end else { return nil }
        defer {
            first += 1
            if first == end {
                (first, end) = (0, 0)
                // Memory that only a rush needed is given back.
                if slots.count > 1 << 14 { slots = [] }
            }
        }
        return slots[first].take()
    }
}
