import Foundation
import Pledge

/// A clock on which every wait ends immediately and is recorded, except for long ones, which never end.
package final class InstantTimekeeper: Sendable {
    private let state: Locked<(now: Date, waits: [TimeInterval])>
    private let longest: TimeInterval

    package init(start: Date = Date(timeIntervalSince1970: 1_700_000_000), longest: TimeInterval = .infinity) {
        state = Locked((start, []))
        self.longest = longest
    }

    package var waits: [TimeInterval] { state.withLock { $0.waits } }

    package var now: Date { state.withLock { $0.now } }

    /// The timekeeper to pass to the code under test.
    package var timekeeper: Timekeeper {
        Timekeeper(
            now: { self.now },
            schedule: { seconds, work in
                // Also one that is no number.
                let isOver = !(seconds > self.longest)
                self.state.withLock {
                    if isOver { $0.now += seconds }
                    $0.waits.append(seconds)
                }
                if isOver { work() }
                return {}
            })
    }
}
