import Dispatch
import Foundation
import Pledge

/// The source of SIGINT, SIGTERM, and SIGHUP.
struct Signals: Sendable {
    /// Calls a handler for the first signal instead of ending the process. The returned closure stops this.
    var observe: @Sendable (_ handle: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// The exit code that a shell uses for an interrupted program.
    static let exitCode: Int32 = 130

    /// The process's own signals. While they are observed, the second signal ends the process. When observing stops,
    /// signals have their former effect again.
    static let process = Signals(
        observe: { handle in
            let queue = DispatchQueue(label: "pledge.signals")
            let received = Locked(false)
            let registered = DispatchSemaphore(value: 0)
            nonisolated(unsafe) let sources = [SIGINT, SIGTERM, SIGHUP].compactMap {
                number -> (number: Int32, before: sig_t?, source: any DispatchSourceSignal)? in
                // Unsafe, because a signal's former effect is a C function, and a source is a class. Neither changes
                // after it was created.
                let before = signal(number, SIG_IGN)
                // A signal that `nohup` ignores stays ignored.
                if number == SIGHUP, before.map({ unsafeBitCast($0, to: Int.self) }) == 1 { return nil }
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler {
                    received.withLock { isReceived in
                        guard !isReceived else { _exit(exitCode) }
                        isReceived = true
                    }
                    handle()
                }
                source.setRegistrationHandler { registered.signal() }
                source.activate()
                // Waits until the source is registered, because before that it would miss a signal.
                registered.wait()
                return (number, before, source)
            }
            return {
                for (number, before, source) in sources {
                    source.cancel()
                    signal(number, before)
                }
            }
        })
}

/// Handles the first signal instead of letting it end the run, until `end` is called.
struct Interrupts {
    private let received = Locked(false)
    /// Gives signals their former effect again. Call it once.
    let end: @Sendable () -> Void

    /// Whether a signal was received. Its handler may still be running.
    var isReceived: Bool { received.withLock { $0 } }

    init(_ signals: Signals, _ handle: @escaping @Sendable () -> Void) {
        end = signals.observe { [received] in
            received.withLock { $0 = true }
            // The handler doesn't run on the signals' queue, because it may block, such as on standard error, and the
            // second signal must not wait for it.
            DispatchQueue.global().async(execute: handle)
        }
    }
}
