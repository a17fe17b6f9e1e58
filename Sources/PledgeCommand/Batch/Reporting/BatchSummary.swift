import Foundation
import PledgeCoding

/// The content of `--summary`: the state of a run and, once it has ended, its figures and exit code.
struct BatchSummary: Encodable {
    private struct Beginning: Encodable {
        var state: String
        var command: String
        var shard: String
        var began: String
    }

    private struct Ending: Encodable {
        var exit: Int32
        var ended: String
        var seconds: Double
        var problem: String?
        var failed: Int
        var badLines: Int
        var duplicates: Int
    }

    private let run: RunState

    init(_ run: RunState) { self.run = run }

    func encode(to encoder: any Encoder) throws {
        func rounded(_ seconds: Double) -> Double { NumberText.rounded(seconds, decimals: 3) }
        try Beginning(
            state: run.ending == nil ? "running" : "ended", command: run.command, shard: run.shard,
            began: Timestamp.text(run.began)
        ).encode(to: encoder)
        guard let ending = run.ending else { return }
        var tally = run.figures.tally
        tally.waitSeconds = rounded(tally.waitSeconds)
        tally.outageSeconds = rounded(tally.outageSeconds)
        try tally.encode(to: encoder)
        try Ending(
            exit: ending.exit, ended: Timestamp.text(ending.date), seconds: rounded(run.seconds),
            problem: ending.problem, failed: tally.failed, badLines: run.skipped.badLines,
            duplicates: run.skipped.duplicates
        ).encode(to: encoder)
    }

    var text: String {
        let encoder = JSONEncoder.repeatable(.prettyPrinted)
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self) + "\n"
    }
}
