import Dispatch
import Foundation
import Pledge

/// A source of the signals SIGINT, SIGTERM, and SIGHUP. Tests can replace the process's own signals with another
/// source.
struct Signals: Sendable {
    /// Calls `handle` at the first signal, which then doesn't end the process. Call the returned closure to stop
    /// observing signals.
    var observe: @Sendable (_ handle: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// The signals that this process receives. While they are observed, the first signal calls the handler, and the
    /// second one ends the process. When observing stops, signals have the effect that they had before.
    static let process = Signals(
        observe: { handle in
            let queue = DispatchQueue(label: "pledge.signals")
            let received = Locked(false)
            let registered = DispatchSemaphore(value: 0)
            nonisolated(unsafe) let sources = [SIGINT, SIGTERM, SIGHUP].compactMap {
                number -> (number: Int32, before: sig_t?, source: any DispatchSourceSignal)? in
                // `nonisolated(unsafe)`, because neither the signal's previous handler, which is a C function, nor the
                // dispatch source is known to be `Sendable`. Neither changes after its creation.
                let before = signal(number, SIG_IGN)
                // If the process was started with `nohup`, SIGHUP was ignored before, and stays ignored.
                if number == SIGHUP, before.map({ unsafeBitCast($0, to: Int.self) }) == 1 { return nil }
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler {
                    received.withLock { isReceived in
                        guard !isReceived else { _exit(ExitCode.interrupted.rawValue) }
                        isReceived = true
                    }
                    handle()
                }
                source.setRegistrationHandler { registered.signal() }
                source.activate()
                // Waits until the source is registered. It would miss a signal that arrives earlier.
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

/// Handles the first signal, which then doesn't end the process. Signals are observed until ``end`` is called.
struct Interrupts {
    private let received = Locked(false)
    /// Stops observing signals, which then have the effect that they had before. Call this closure only once.
    let end: @Sendable () -> Void

    /// Whether a signal was received. The handler for it may still be running.
    var isReceived: Bool { received.withLock { $0 } }

    init(_ signals: Signals, _ handle: @escaping @Sendable () -> Void) {
        end = signals.observe { [received] in
            received.withLock { $0 = true }
            // The handler doesn't run on the queue of the signals. It may block, for example while it writes to
            // standard error, and would then keep a second signal from ending the process.
            DispatchQueue.global().async(execute: handle)
        }
    }
}
