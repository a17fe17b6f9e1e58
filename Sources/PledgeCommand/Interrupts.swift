import Dispatch
import Foundation
import Pledge

/// Handles Ctrl-C, the request to terminate, and the loss of the terminal, instead of letting them end the process.
///
/// They are handled as long as this object exists, and have their former effect afterwards.
final class Interrupts {
    private let sources: [(number: Int32, before: sig_t?, source: any DispatchSourceSignal)]

    /// - Parameter handle: Called with 1 for the first signal, 2 for the second, and so on.
    init(_ handle: @escaping @Sendable (_ count: Int) -> Void) {
        let queue = DispatchQueue(label: "pledge.interrupts")
        let counter = Locked(0)
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let before = signal(number, SIG_IGN)
            // A signal that `nohup` ignores stays ignored.
            if number == SIGHUP, before.map({ unsafeBitCast($0, to: Int.self) }) == 1 { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let count = counter.withLock { count in
                    count += 1
                    return count
                }
                handle(count)
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
