import Foundation
import PledgeBatch

/// The state of a batch run, for `--metrics`.
struct RunState: Sendable {
    /// `export` or `sync`.
    let command: String
    /// The shard, such as `2/8`; `0/1` for all accounts.
    let shard: String
    let began: Date
    /// Nil while it runs.
    var ending: (date: Date, exit: Int32)?
    /// The elapsed seconds, unaffected by changes of the system's date.
    var seconds = 0.0
    var figures = BatchProgress()
    var skipped = BatchInput.Skipped()

    /// Whether it processed every account.
    var cameToEnd: Bool {
        guard let code = ending.flatMap({ ExitCode(rawValue: $0.exit) }) else { return false }
        return [.allDone, .someFailed, .partial].contains(code)
    }
    /// Whether every account is also up to date, and every line of the input one.
    var isComplete: Bool { ending?.exit == 0 && figures.tally.failed == 0 && skipped.badLines == 0 }
}
