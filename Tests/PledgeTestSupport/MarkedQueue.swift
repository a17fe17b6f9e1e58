@preconcurrency import Dispatch  // Before 6.2, `DispatchSpecificKey` is not Sendable.

/// A queue that can detect whether the calling code runs on it.
package struct MarkedQueue: Sendable {
    package let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()

    package init(_ label: String = "test", attributes: DispatchQueue.Attributes = []) {
        self.init(marking: DispatchQueue(label: label, attributes: attributes))
    }

    package init(marking queue: DispatchQueue) {
        self.queue = queue
        queue.setSpecific(key: key, value: true)
    }

    /// Whether the calling code is running on this queue.
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Returns once all pending work on the queue has run and been released.
    package func drain() async {
        await withCheckedContinuation { continuation in queue.async(flags: .barrier) { continuation.resume() } }
    }
}
