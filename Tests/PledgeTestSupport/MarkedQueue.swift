import Dispatch

/// A queue that knows whether the calling code runs on it.
package struct MarkedQueue: Sendable {
    package let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()

    package init(_ label: String = "test", attributes: DispatchQueue.Attributes = []) {
        queue = DispatchQueue(label: label, attributes: attributes)
        queue.setSpecific(key: key, value: true)
    }

    /// Is the calling code being run by this queue?
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Comes back once all that was waiting on the queue has run, and has been let go.
    package func drain() async {
        await withCheckedContinuation { continuation in
            queue.async(flags: .barrier) { continuation.resume() }
        }
    }
}
