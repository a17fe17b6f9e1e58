import Dispatch
import Foundation
import Pledge

/// Where Ctrl-C, the request to terminate, and the loss of the terminal come from.
struct Signals: Sendable {
    /// Calls a handler for the first signal instead of ending the process, until the returned closure is called.
    var observe: @Sendable (_ handle: @escaping @Sendable () -> Void) -> @Sendable () -> Void
    /// Leaves Ctrl-C to a child process, from now on.
    var ignoreInterrupts: @Sendable () -> Void

    /// The exit code of a shell for a program that was interrupted.
    static let exitCode: Int32 = 130

    /// The process's own. While they are observed, the second one ends the process; afterwards, they have their former
    /// effect.
    static let process = Signals(
        observe: { handle in
            let (queue, received) = (DispatchQueue(label: "pledge.signals"), Locked(false))
            let sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> SignalSource? in
                let before = signal(number, SIG_IGN)
                // A signal that `nohup` ignores stays ignored.
                if number == SIGHUP, before.map({ unsafeBitCast($0, to: Int.self) }) == 1 { return nil }
                return SignalSource(number, before: before, on: queue) {
                    received.withLock { isReceived in
                        guard !isReceived else { _exit(exitCode) }
                        isReceived = true
                    }
                    handle()
                }
            }
            return { sources.forEach { $0.end() } }
        }, ignoreInterrupts: { _ = signal(SIGINT, SIG_IGN) })
}

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

/// One of the process's signals, and its former effect.
private final class SignalSource: @unchecked Sendable {
    // Unchecked, since the former effect is a C function: nothing changes after the initialization.
    private let number: Int32
    private let before: sig_t?
    private let source: any DispatchSourceSignal

    init(_ number: Int32, before: sig_t?, on queue: DispatchQueue, _ handle: @escaping @Sendable () -> Void) {
        (self.number, self.before) = (number, before)
        source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: handle)
        source.activate()
    }

    func end() {
        source.cancel()
        signal(number, before)
    }
}
