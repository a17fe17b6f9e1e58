/// A first-in, first-out queue. An element can also be removed before its turn, because a call that waits may be
/// canceled.
struct WaitingList<Element> {
    private var elements: [Int: Element] = [:]
    /// `first` is the number of the first element, or a smaller number if elements were removed. `next` is the number
    /// of the next element to be added.
    private var first = 0
    private var next = 0

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// Adds an element, and returns its number, with which the element can be removed.
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

    /// Removes the elements for which the closure returns true. The closure may change the elements.
    mutating func removeAll(where shouldLeave: (inout Element) -> Bool) {
        for (number, var element) in elements { elements[number] = shouldLeave(&element) ? nil : element }
    }
}
