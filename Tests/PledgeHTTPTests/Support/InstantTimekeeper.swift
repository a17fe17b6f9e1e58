import Foundation
import Pledge

/// A clock on which every wait ends immediately and is recorded.
final class InstantTimekeeper: Sendable {
    private let state = Locked((now: Date(timeIntervalSince1970: 1_700_000_000), waits: [TimeInterval]()))

    var waits: [TimeInterval] { state.withLock { $0.waits } }

    var now: Date { state.withLock { $0.now } }

    var timekeeper: Timekeeper {
        Timekeeper(
            now: { self.now },
            schedule: { seconds, work in
                self.state.withLock {
                    $0.now += seconds
                    $0.waits.append(seconds)
                }
                work()
                return {}
            })
    }
}
