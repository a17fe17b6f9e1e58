import Pledge

/// Elements that are due at a time, the earliest first. Elements with the same time keep the order in which they were
/// added.
struct Timers<Element: Sendable>: Sendable {
    typealias Timer = (time: Double, element: Element)

    private(set) var entries: ArraySlice<Timer> = []

    var next: Double? { entries.first?.time }

    mutating func set(_ element: Element, at time: Double) {
        // Most timers are due after those that were set earlier, so the search begins at the end.
        let last = entries.lastIndex { $0.time <= time }
        entries.insert((time, element), at: last.map { $0 + 1 } ?? entries.startIndex)
    }

    mutating func popDue(by time: Double) -> Timer? {
        guard let next, next <= time else { return nil }
        return entries.popFirst()
    }
}
