import Dispatch
import Foundation
import Pledge

/// Ctrl-C, and the polite request to end: told once and once more, instead of ending the process.
final class Interrupts {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter handle: called with 1 for the first signal, 2 for the second, and so on.
    init(_ handle: @escaping @Sendable (_ count: Int) -> Void) {
        let queue = DispatchQueue(label: "pledge.interrupts")
        let counter = Locked(0)
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let count = counter.withLock { count in
                    count += 1
                    return count
                }
                handle(count)
            }
            source.activate()
            return source
        }
    }

    deinit {
        sources.forEach { $0.cancel() }
    }
}
