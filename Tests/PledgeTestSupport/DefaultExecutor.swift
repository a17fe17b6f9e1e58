import Dispatch
import Pledge

/// The executor of handlers without a queue, as a test sees it: one FIFO.
package enum DefaultExecutor {
    /// Comes back once everything that was waiting to run has run, and what that made runnable, `hops` steps deep.
    ///
    /// After this, what has not happened will not happen by itself.
    package static func drain(hops: Int = 12) async {
        for _ in 0..<hops {
            await withCheckedContinuation { continuation in
                Guarantee().done { continuation.resume() }
            }
        }
    }

    /// The same for synchronous code.
    package static func drainBlocking(hops: Int = 12) {
        for _ in 0..<hops {
            let isDone = DispatchSemaphore(value: 0)
            Guarantee().done { isDone.signal() }
            isDone.wait()
        }
    }
}

/// Keeps handlers that become runnable after it was made from running until it is opened.
///
/// The code between must not wait for a handler on the default executor.
package final class ExecutorGate: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)

    package init() {
        let isOpen = isOpen
        Guarantee().done { isOpen.wait() }
    }

    package func open() {
        isOpen.signal()
    }
}
