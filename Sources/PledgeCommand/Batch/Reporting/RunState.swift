import Foundation
import PledgeBatch

/// What is known of a run over accounts, for `--metrics` and `--summary`.
struct RunState: Sendable {
    struct Ending: Sendable {
        var date: Date
        var exit: Int32
        /// The error that ended it.
        var problem: String?
        /// Whether it tried every account.
        var cameToEnd: Bool { [.allDone, .someFailed, .partial].contains(BatchSession.ExitCode(rawValue: exit)) }
        /// Whether it also brought every account up to date.
        var isComplete = false
    }

    /// `export`, `check`, or `sync`.
    let command: String
    /// The part of the accounts, such as `2/8`; `0/1` for all.
    let shard: String
    let began: Date
    /// Nil while it runs.
    var ending: Ending?
    /// The seconds since it began, whatever the date is set to meanwhile.
    var seconds = 0.0
    var figures = BatchProgress()
    /// The lines of the input that were skipped.
    var skipped = BatchInput.Skipped()
    /// The accounts with an error, and the lines of the input that could not be read.
    var failures: Int { figures.tally.failed + skipped.badLines }
}
