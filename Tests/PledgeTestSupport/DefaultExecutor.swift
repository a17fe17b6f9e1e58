import Dispatch
import Pledge

/// The executor of handlers without a queue, which tests can treat as a single FIFO queue.
package enum DefaultExecutor {
    /// Returns once all pending work has run, and also the work that it enqueued, up to `hops` levels deep.
    ///
    /// Anything that has not happened by then will not happen by itself.
    package static func drain(hops: Int = 12) async {
        for _ in 0..<hops {
            await withCheckedContinuation { continuation in Guarantee().done { continuation.resume() } }
        }
    }

    /// The synchronous equivalent of `drain`.
    package static func drainBlocking(hops: Int = 12) {
        for _ in 0..<hops {
            let isDone = DispatchSemaphore(value: 0)
            Guarantee().done { isDone.signal() }
            isDone.wait()
        }
    }
}

/// Holds back handlers that become runnable after the gate is created, until the gate is opened.
///
/// While the gate is closed, code must not wait for a handler on the default executor.
package final class ExecutorGate: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)

    package init() {
        let isOpen = isOpen
        Guarantee().done { isOpen.wait() }
    }

    package func open() { isOpen.signal() }
}
