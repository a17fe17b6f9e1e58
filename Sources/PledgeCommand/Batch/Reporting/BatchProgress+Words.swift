import PledgeBatch
import PledgeCoding

extension BatchProgress {
    /// `1,204 accounts done and 3 failed in 56 s (21.4 a second).`
    var summary: String {
        "\(Self.counted(done, "account")) done and \(Self.grouped(failed)) failed in \(Self.duration(elapsed)) "
            + "(\(NumberText.rounded(rate, decimals: 1)) a second)."
    }

    /// The summary of a check: `6 would work, 0 would fail.`
    var outlook: String { "\(Self.grouped(done)) would work, \(Self.grouped(failed)) would fail." }
}
