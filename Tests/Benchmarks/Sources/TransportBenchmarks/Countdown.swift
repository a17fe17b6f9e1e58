import Synchronization

/// The number of requests that are left to send. Many threads can use it at once.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) {
        left = Atomic(count)
    }

    func take() -> Bool {
        left.subtract(1, ordering: .relaxed).newValue >= 0
    }
}
