import Dispatch
import Synchronization

/// Counts and adds up results from any thread, and wakes the single thread that waits for the last result.
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

    /// Waits for all values, and returns their sum.
    func wait() -> Int {
        isOver.wait()
        return sum.load(ordering: .acquiring)
    }
}
