import Foundation
import Pledge

/// A clock on which every wait ends immediately and is recorded.
package final class InstantTimekeeper: Sendable {
    private let state: Locked<(now: Date, waits: [TimeInterval])>

    package init(start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        state = Locked((start, []))
    }

    package var waits: [TimeInterval] { state.withLock { $0.waits } }

    package var now: Date { state.withLock { $0.now } }

    /// The timekeeper to pass to the code under test.
    package var timekeeper: Timekeeper {
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
