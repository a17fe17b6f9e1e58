import Foundation

/// How far an export is, and how that reads.
struct Progress: Equatable {
    /// Accounts with a result, written in this run.
    var done = 0
    /// Accounts with an error, written in this run.
    var failed = 0
    /// Accounts that wait until a limit lets them go on.
    var waiting = 0
    /// Accounts still to do, those under way included; nil where nobody can know.
    var left: Int?
    /// Seconds since the run began.
    var elapsed: TimeInterval = 0

    var finished: Int { done + failed }

    /// Accounts a second.
    var rate: Double { elapsed > 0 ? Double(finished) / elapsed : 0 }

    /// `1,204 done, 3 failed, 21.4/s, 5 min left, 2 waiting for a limit`
    var line: String {
        var parts = ["\(Self.grouped(done)) done", "\(Self.grouped(failed)) failed", "\(Self.text(rate))/s"]
        if let left, rate > 0 { parts.append("\(Self.duration(Double(left) / rate)) left") }
        if waiting > 0 { parts.append("\(Self.grouped(waiting)) waiting for a limit") }
        return parts.joined(separator: ", ")
    }

    /// `1,204 accounts done and 3 failed in 56 s (21.4 a second).`
    var summary: String {
        "\(Self.grouped(done)) accounts done and \(Self.grouped(failed)) failed in \(Self.duration(elapsed)) "
            + "(\(Self.text(rate)) a second)."
    }

    /// How many accounts are left, from how far into the input the reader has come.
    ///
    /// - Parameters:
    ///   - position: lines and bytes read.
    ///   - size: bytes of the input.
    ///   - parts: of how many parts this run does one.
    ///   - settled: accounts of the input that are done, by whatever run.
    static func left(position: (lines: Int, bytes: Int), size: Int, parts: Int, settled: Int) -> Int? {
        guard position.bytes > 0, size > 0 else { return nil }
        let lines = Double(size) * Double(position.lines) / Double(position.bytes)
        return max(0, Int((lines / Double(parts)).rounded()) - settled)
    }

    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return String(
            digits.enumerated().flatMap { index, digit -> [Character] in
                index > 0 && (digits.count - index).isMultiple(of: 3) ? [",", digit] : [digit]
            })
    }

    private static func text(_ rate: Double) -> String {
        "\((rate * 10).rounded() / 10)"
    }

    static func duration(_ seconds: TimeInterval) -> String {
        switch seconds {
        case ..<99.5: "\(Int(seconds.rounded())) s"
        case ..<5_970: "\(Int((seconds / 60).rounded())) min"
        default: "\(Int(seconds / 3600)) h \(Int(seconds / 60) % 60) min"
        }
    }
}
