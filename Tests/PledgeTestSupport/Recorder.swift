import Pledge

/// A list that any thread may add to: what happened, in the order it happened.
package final class Recorder<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    package init() {}

    /// All that was added, oldest first.
    package var all: [Element] { elements.withLock { $0 } }

    /// How many were added.
    package var count: Int { elements.withLock { $0.count } }

    package func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }
}
