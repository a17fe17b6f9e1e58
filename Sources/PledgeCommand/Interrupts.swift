import Dispatch
import Foundation
import Pledge

/// Ctrl-C, the polite request to end and a terminal that is gone: told once and once more, instead of ending the process.
///
/// For as long as this is kept: afterwards they do what they did before.
final class Interrupts {
    private let sources: [(number: Int32, before: sig_t?, source: any DispatchSourceSignal)]

    /// - Parameter handle: called with 1 for the first signal, 2 for the second, and so on.
    init(_ handle: @escaping @Sendable (_ count: Int) -> Void) {
        let queue = DispatchQueue(label: "pledge.interrupts")
        let counter = Locked(0)
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let before = signal(number, SIG_IGN)
            // What `nohup` has made deaf stays deaf.
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
