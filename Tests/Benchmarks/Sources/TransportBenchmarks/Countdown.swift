import Synchronization

/// How many are left to send, for many threads.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) {
        left = Atomic(count)
    }

    func take() -> Bool {
        left.subtract(1, ordering: .relaxed).newValue >= 0
    }
}
