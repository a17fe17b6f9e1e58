import Foundation
import PledgeBatch

/// The state of a batch run, for `--metrics`.
struct RunState: Sendable {
    struct Ending: Sendable {
        var date: Date
        var exit: Int32
        /// Whether it processed every account.
        var cameToEnd: Bool { [.allDone, .someFailed, .partial].contains(BatchSession.ExitCode(rawValue: exit)) }
        /// Whether every account is also up to date.
        var isComplete = false
    }

    /// `export`, `check`, or `sync`.
    let command: String
    /// The shard, such as `2/8`; `0/1` for all accounts.
    let shard: String
    let began: Date
    /// Nil while it runs.
    var ending: Ending?
    /// The elapsed seconds, unaffected by changes of the system's date.
    var seconds = 0.0
    var figures = BatchProgress()
    var skipped = BatchInput.Skipped()
    /// The accounts with an error, and the invalid lines of the input.
    var failures: Int { figures.tally.failed + skipped.badLines }
}
