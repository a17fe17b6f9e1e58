import Dispatch
import Synchronization

/// Counts results in from any thread, adds them up, and wakes the one thread that waits for the last.
final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let sum = Atomic(0)
    private let isOver = DispatchSemaphore(value: 0)

    init(_ count: Int) {
        left = Atomic(count)
    }

    func hit(_ value: Int) {
        sum.wrappingAdd(value, ordering: .relaxed)
        if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isOver.signal() }
    }

    /// The sum of all values, once they are in.
    func wait() -> Int {
        isOver.wait()
        return sum.load(ordering: .acquiring)
    }
}
