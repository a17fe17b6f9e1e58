import Foundation
import Pledge
import PledgeBatch
import PledgeHistory

/// Shows the progress of a sync on standard error: in place in a terminal, or as lines if it takes long.
final class SyncProgress: Sendable {
    private let title: String
    private let isQuiet: Bool
    private let terminal: Terminal
    private let isTerminal: Bool
    private let told = Locked(Int.max)
    /// The number of requests between two lines if the output is not a terminal.
    private static let step = 50

    init(_ title: String, isQuiet: Bool, _ terminal: Terminal) {
        (self.title, self.isQuiet) = (title, isQuiet)
        (self.terminal, isTerminal) = (terminal, terminal.tellsPerson)
    }

    /// - Parameters:
    ///   - left: The number of requests left, as far as is known.
    ///   - hours: The time they have to wait for the service's limit.
    func update(_ left: Int, hours: Double) {
        guard !isQuiet else { return }
        let isWorthIt = told.withLock { told in
            guard isTerminal || (left >= Self.step && left <= told - Self.step) else { return false }
            told = left
            return true
        }
        guard isWorthIt else { return }
        let wait = hours > 0 ? ", which takes about \(BatchProgress.duration(hours * 3600)) at the service's limit" : ""
        terminal.tell(
            ErrorLine(
                "\(title): about \(BatchProgress.grouped(left)) \(left == 1 ? "request" : "requests") left\(wait).",
                overwriting: isTerminal, staysOpen: isTerminal))
    }

    func say(_ message: String) {
        terminal.tell(
            ErrorLine("\(title): \(message)", overwriting: isTerminal && !isQuiet, width: terminal.noticeWidth))
    }

    func end(_ summary: SyncSummary) {
        summary.notes.forEach(say)
        if let event = LogEvent(unreadable: summary.unreadable) { say(event.words) }
        if !isQuiet { say("\(summary).") }
    }
}
