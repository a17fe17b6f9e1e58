import Pledge

/// A thread-safe list of events, in the order they happened.
package final class Recorder<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    package init() {}

    /// All elements, oldest first.
    package var all: [Element] { elements.withLock { $0 } }

    /// The number of elements.
    package var count: Int { elements.withLock { $0.count } }

    package func append(_ element: Element) { elements.withLock { $0.append(element) } }

    package func removeAll() { elements.withLock { $0 = [] } }
}
