import Pledge

/// A first-in, first-out queue whose elements can leave at any time, as do calls that are canceled.
struct WaitingList<Element> {
    private var elements: [Int: Element] = [:]
    /// Their numbers in the order of arrival, also of those that left.
    private var numbers = FIFO<Int>()
    private var next = 0

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// Adds an element, and returns the number with which it can leave.
    mutating func append(_ element: Element) -> Int {
        defer { next += 1 }
        elements[next] = element
        numbers.append(next)
        return next
    }

    mutating func remove(_ number: Int) {
        elements[number] = nil
        if elements.isEmpty { numbers = FIFO() }
    }

    mutating func popFirst() -> Element? {
        while let number = numbers.popFirst() {
            if let element = elements.removeValue(forKey: number) { return element }
        }
        return nil
    }

    /// Removes those for which the closure, which may change them, returns true.
    mutating func removeAll(where shouldLeave: (inout Element) -> Bool) {
        for (number, var element) in elements { elements[number] = shouldLeave(&element) ? nil : element }
    }
}
