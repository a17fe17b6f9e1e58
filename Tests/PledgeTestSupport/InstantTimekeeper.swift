import Foundation
import Pledge

/// A clock that records every wait. A wait ends immediately, unless it is longer than `longest`: then it never ends.
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
                // A wait that is not a number also ends immediately.
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
