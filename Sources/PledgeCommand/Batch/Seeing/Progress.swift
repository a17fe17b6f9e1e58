import Foundation
import PledgeCoding

/// The progress of a batch, and its description.
struct Progress: Sendable {
    /// Accounts with a result, in this run.
    var done = 0
    /// Accounts with an error, in this run.
    var failed = 0
    /// The number of accounts that wait for a limit, a retry, or the service, and when the first of them continues.
    var waiting = 0
    var wake: Date?
    /// The number of accounts left, including those in progress; nil if unknown.
    var left: Int?
    /// The seconds since the run began.
    var elapsed: TimeInterval = 0

    var finished: Int { done + failed }

    /// Accounts a second.
    var rate: Double { elapsed > 0 ? Double(finished) / elapsed : 0 }

    /// Seconds until the end, at this rate.
    var eta: Double? {
        guard let left, rate > 0 else { return nil }
        return Double(left) / rate
    }

    /// `1,204 done, 3 failed, 2 waiting until 07:30:12Z, 21.4/s, 5 min left`
    var line: String {
        var parts = ["\(Self.grouped(done)) done", "\(Self.grouped(failed)) failed"]
        if waiting > 0 {
            parts.append("\(Self.grouped(waiting)) waiting" + (wake.map { " until \(Self.time($0))" } ?? ""))
        }
        parts.append("\(NumberText.rounded(rate, decimals: 1))/s")
        if let eta { parts.append("\(Self.duration(eta)) left") }
        return parts.joined(separator: ", ")
    }

    /// `1,204 accounts done and 3 failed in 56 s (21.4 a second).`
    var summary: String {
        "\(Self.counted(done, "account")) done and \(Self.grouped(failed)) failed in \(Self.duration(elapsed)) "
            + "(\(NumberText.rounded(rate, decimals: 1)) a second)."
    }

    /// The same for a check, which does nothing else: `6 would work, 0 would fail.`
    var outlook: String { "\(Self.grouped(done)) would work, \(Self.grouped(failed)) would fail." }

    /// Formats the time of day, in UTC like everything else.
    private static func time(_ date: Date) -> String {
        String(Timestamp.text(date).suffix(9))
    }

    static func grouped(_ number: Int) -> String { NumberText.grouped(Double(number)) }

    static func counted(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    static func duration(_ seconds: TimeInterval) -> String {
        switch seconds {
        case ..<99.5: "\(Int(seconds.rounded())) s"
        case ..<5_970: "\(Int((seconds / 60).rounded())) min"
        default: "\(Int(seconds / 3600)) h \(Int(seconds / 60) % 60) min"
        }
    }
}
