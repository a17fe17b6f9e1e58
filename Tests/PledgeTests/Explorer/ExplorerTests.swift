import Foundation
import Pledge
import PledgeTestSupport
import Testing

/// Programs of operators, one below another, with events in any order, compared with a model of five sentences; see
/// ``Exploration``. `PLEDGE_EFFORT` multiplies their number, `PLEDGE_FUZZ_SEED` selects others.
@Suite("Every pair of operators, and some triples, in any order of events,", .serialized)
struct ExplorerTests {
    @Test(
        "settle, run each closure once, in order, and in its place, release everything, and cancel nothing others await"
    )
    func programs() async {
        _ = LogCapture.shared
        // On its own thread, because the threads of tasks must not be blocked.
        let failures = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.failures()) }
        }
        for failure in failures { Issue.record("\(failure)") }
    }

    /// At most one failure for each pair of symbols: they rarely come alone.
    private static func failures() -> [String] {
        let all = Operator.all.indices
        var failures: [String: String] = [:]
        Fuzzing.run(cases: 1, "explorer") { seed, random in
            func explore(_ operators: [Int]) {
                let count = Int.random(in: 1...3, using: &random)
                let program = Exploration(
                    operators: operators,
                    events: Array(Exploration.Event.allCases.shuffled(using: &random).prefix(count)),
                    isInline: Bool.random(using: &random), isFlushed: Bool.random(using: &random))
                let complaints = program.complaints(seed: seed)
                guard let first = complaints.first, failures.count < 20 else { return }
                failures["\(first.prefix(12))"] = "\(program): \(complaints), PLEDGE_FUZZ_SEED=\(seed)"
            }
            for one in all {
                explore([one])
                for other in all { explore([one, other]) }
            }
            for _ in 0..<all.count * 5 { explore((0..<3).map { _ in Int.random(in: all, using: &random) }) }
        }
        return failures.values.sorted()
    }

    @Test("include every public operator")
    func isComplete() throws {
        let listed = try Repository.symbols("Pledge").split(separator: "\n").compactMap(Self.symbol)
        let rows = Operator.all.flatMap(\.symbols) + Operator.beginnings
        #expect(Set(listed).subtracting(rows).isEmpty)
        #expect(listed.count > 50)
    }

    /// The name of what returns a promise or a guarantee, with the labels that tell operators apart.
    private static func symbol(_ line: Substring) -> String? {
        guard line.contains("-> Promise<") || line.contains("-> Guarantee<") || line.contains(": Promise<"),
            let name = line.firstMatch(
                of: /^(?:(Thenable|Guarantee|Promise|DispatchQueue)\.)?[a-z]\w*(\([^)]*\))?(?=:)/)?.0
        else { return nil }
        return String(name).replacing(/(on|flags|policy|timekeeper|file|line|_):/, with: "")
    }
}
