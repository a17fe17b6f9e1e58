import Foundation
import PledgeCoding

/// The outcome of a batch for `--summary`: its tally, and how it ended.
struct BatchSummary: Encodable {
    private struct Ending: Encodable {
        var exit: Int32
        var began: String
        var seconds: Double
        var failed: Int
        var badLines: Int
        var duplicates: Int
    }

    private var tally: Tally
    private let ending: Ending

    init(_ tally: Tally, began: Date, seconds: Double, _ skipped: BatchInput.Skipped, exit: Int32) {
        func rounded(_ seconds: Double) -> Double { NumberText.rounded(seconds, decimals: 3) }
        self.tally = tally
        self.tally.waitSeconds = rounded(tally.waitSeconds)
        self.tally.outageSeconds = rounded(tally.outageSeconds)
        ending = Ending(
            exit: exit, began: Timestamp.text(began), seconds: rounded(seconds), failed: tally.failed,
            badLines: skipped.badLines, duplicates: skipped.duplicates)
    }

    func encode(to encoder: any Encoder) throws {
        try tally.encode(to: encoder)
        try ending.encode(to: encoder)
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self) + "\n"
    }
}
