import Dispatch
import Foundation
import Pledge

/// The source of SIGINT, SIGTERM, and SIGHUP.
struct Signals: Sendable {
    /// Calls a handler for the first signal instead of ending the process, until the returned closure is called.
    var observe: @Sendable (_ handle: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// A shell's exit code for an interrupted program.
    static let exitCode: Int32 = 130

    /// The process's own signals. While observed, the second one ends the process; then, their former effect returns.
    static let process = Signals(
        observe: { handle in
            let queue = DispatchQueue(label: "pledge.signals")
            let received = Locked(false)
            let registered = DispatchSemaphore(value: 0)
            // Unsafe, because a former effect is a C function, and a source a class: neither changes any more.
            nonisolated(unsafe) let sources = [SIGINT, SIGTERM, SIGHUP].compactMap {
                number -> (number: Int32, before: sig_t?, source: any DispatchSourceSignal)? in
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
                // Until the source is registered, it would miss the signal.
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

/// Handles the first signal, instead of letting it end the run, until it is ended.
struct Interrupts {
    private let received = Locked(false)
    /// Gives signals their former effect again. Call it once.
    let end: @Sendable () -> Void

    /// Whether a signal was received; its handler may still be running.
    var isReceived: Bool { received.withLock { $0 } }

    init(_ signals: Signals, _ handle: @escaping @Sendable () -> Void) {
        end = signals.observe { [received] in
            received.withLock { $0 = true }
            // Not on the signals' queue, since it may block, as on standard error, and the second signal must not wait.
            DispatchQueue.global().async(execute: handle)
        }
    }
}
