/// A first-in, first-out queue whose elements can leave at any time, as do calls that are canceled.
struct WaitingList<Element> {
    private var elements: [Int: Element] = [:]
    /// The numbers of the first element, unless it left, and of the next one to come.
    private var (first, next) = (0, 0)

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// Adds an element, and returns the number with which it can leave.
    mutating func append(_ element: Element) -> Int {
        defer { next += 1 }
        elements[next] = element
        return next
    }

    mutating func remove(_ number: Int) {
        elements[number] = nil
        if elements.isEmpty { first = next }
    }

    mutating func popFirst() -> Element? {
        for number in first..<next {
            first = number + 1
            if let element = elements.removeValue(forKey: number) { return element }
        }
        return nil
    }

    /// Removes those for which the closure, which may change them, returns true.
    mutating func removeAll(where shouldLeave: (inout Element) -> Bool) {
        for (number, var element) in elements { elements[number] = shouldLeave(&element) ? nil : element }
    }
}
