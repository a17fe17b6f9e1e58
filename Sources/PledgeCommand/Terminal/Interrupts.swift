import Dispatch
import Pledge

/// Handles the first interrupt instead of letting it end the run, as long as this object exists.
final class Interrupts {
    private let received = Locked(false)
    private let end: @Sendable () -> Void

    /// Whether there has been one. Its handler may be running still.
    var isReceived: Bool { received.withLock { $0 } }

    init(_ signals: Signals, _ handle: @escaping @Sendable () -> Void) {
        end = signals.observe { [received] in
            received.withLock { $0 = true }
            // Not on the signals' queue: it may block, as standard error can, and the second signal must not wait for it.
            DispatchQueue.global().async(execute: handle)
        }
    }

    deinit { end() }
}
