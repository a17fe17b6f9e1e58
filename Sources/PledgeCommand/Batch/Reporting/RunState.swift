import Foundation
import PledgeBatch

/// What is known of a run over accounts, for `--metrics` and `--summary`.
struct RunState: Sendable {
    struct Ending: Sendable {
        var date: Date
        var exit: Int32
        /// The error that ended it.
        var problem: String?
    }

    /// `export`, `check`, or `sync`.
    let command: String
    /// The part of the accounts, such as `2/8`; `0/1` for all.
    let shard: String
    let began: Date
    /// The end of the last run with exit code 0, of the same command and shard.
    var lastSuccess: Date?
    /// Nil while it runs.
    var ending: Ending?
    /// The seconds since it began, whatever the date is set to meanwhile.
    var seconds = 0.0
    var figures = BatchFigures()
    /// The lines of the input that were skipped.
    var skipped = BatchInput.Skipped()
}
