/// First in, first out; taking out costs the same however long it is.
struct Queue<Element> {
    private var items: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }
    var count: Int { items.count - head }

    mutating func append(_ element: Element) {
        items.append(element)
    }

    mutating func pop() -> Element? {
        guard head < items.count else { return nil }
        defer {
            items[head] = nil
            head += 1
            if head == items.count || head > 64 && head * 2 > items.count {
                items.removeFirst(head)
                head = 0
            }
        }
        return items[head]
    }

    /// All of them, which are out then.
    mutating func drain() -> [Element] {
        defer { self = Queue() }
        return items[head...].compactMap { $0 }
    }
}

extension Queue: Sendable where Element: Sendable {}

/// What is due when: gives the earliest first, and of equals the one that was set first.
struct Agenda<Element> {
    fileprivate struct Entry {
        var time: Double
        var number: Int
        var element: Element

        func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var heap: [Entry] = []
    private var number = 0

    /// When the next is due.
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
        guard let first = heap.first, first.time <= time else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.element }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != parent else { return first.element }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

extension Agenda.Entry: Sendable where Element: Sendable {}
extension Agenda: Sendable where Element: Sendable {}
