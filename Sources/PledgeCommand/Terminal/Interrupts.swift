import Dispatch
import Foundation
import Pledge

/// Handles Ctrl-C, the request to terminate, and the loss of the terminal, instead of letting them end the process.
///
/// They are handled as long as this object exists, and have their former effect afterwards.
final class Interrupts {
    /// The exit code of a shell for a program that was interrupted.
    static let exitCode: Int32 = 130
    private let sources: [(number: Int32, before: sig_t?, source: any DispatchSourceSignal)]
    private let received = Locked(false)

    /// Whether there has been one. Its handler may be running still.
    var isReceived: Bool { received.withLock { $0 } }

    /// - Parameter handle: Called for the first signal. The second ends the process.
    init(_ handle: @escaping @Sendable () -> Void) {
        let (queue, received) = (DispatchQueue(label: "pledge.interrupts"), received)
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let before = signal(number, SIG_IGN)
            // A signal that `nohup` ignores stays ignored.
            if number == SIGHUP, before.map({ unsafeBitCast($0, to: Int.self) }) == 1 { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                received.withLock { isReceived in
                    guard !isReceived else { _exit(Self.exitCode) }
                    isReceived = true
                }
                // Not on this queue: it may block, as standard error can, and the second signal must not wait for it.
                DispatchQueue.global().async(execute: handle)
            }
            source.activate()
            return (number, before, source)
        }
    }

    deinit {
        for (number, before, source) in sources {
            source.cancel()
            signal(number, before)
        }
    }
}
