import Pledge

/// A priority queue of elements that are due at a time. The earliest element comes first. Elements with the same time
/// keep the order in which they were added.
struct TimerHeap<Element: Sendable>: Sendable {
    private struct Entry: Sendable {
        var time: Double
        var number: Int
        var element: Element

        func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var heap: [Entry] = []
    private var number = 0

    var next: Double? { heap.first?.time }

    mutating func set(_ element: Element, at time: Double) {
        number += 1
        heap.append(Entry(time: time, number: number, element: element))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popDue(by time: Double) -> Element? {
        guard let next, next <= time else { return nil }
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        var parent = 0
        while case var child = 2 * parent + 1, child < heap.count {
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(parent, child)
            parent = child
        }
        return first.element
    }
}

extension FIFO {
    mutating func takeAll() -> [Element] {
        var all: [Element] = []
        while let element = popFirst() { all.append(element) }
        return all
    }
}

/// A random number generator with the SplitMix64 algorithm. It returns the same numbers for the same seed.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
