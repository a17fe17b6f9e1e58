import Pledge

/// Elements that are due at a time, the earliest first. Elements with the same time keep the order in which they were
/// added.
struct Timers<Element: Sendable>: Sendable {
    typealias Timer = (time: Double, element: Element)

    private(set) var entries: ArraySlice<Timer> = []

    var next: Double? { entries.first?.time }

    mutating func set(_ element: Element, at time: Double) {
        var (low, high) = (entries.startIndex, entries.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        // Most timers are due after those that were set earlier, so few elements move.
        entries.insert((time, element), at: low)
    }

    mutating func popDue(by time: Double) -> Timer? {
        guard let next, next <= time else { return nil }
        return entries.popFirst()
    }
}
