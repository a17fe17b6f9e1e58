import Foundation
import Pledge
import PledgeTestSupport
import Testing

/// Runs chains of operators with events in random order, and checks the six rules that ``Exploration`` lists. All chains of
/// one or two operators are tried, and some chains of three. `PLEDGE_EFFORT` multiplies the number of programs, and
/// `PLEDGE_FUZZ_SEED` selects other programs.
@Suite("Explored chains of operators", .serialized)
struct ExplorerTests {
    @Test(
        "Chains of up to three operators keep the rules that Exploration lists, in any order of events"
    )
    func programs() async {
        _ = LogCapture.shared
        // Runs on a thread of its own, because the threads of tasks must not be blocked.
        let failures = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.failures()) }
        }
        for failure in failures { Issue.record("\(failure)") }
    }

    /// Returns at most one failure for each kind of complaint, because one mistake usually makes many programs fail.
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

    @Test("The explorer's operators include every public symbol that returns a promise or a guarantee")
    func isComplete() throws {
        let listed = try Repository.symbols("Pledge").compactMap(Self.symbol)
        let rows = Operator.all.flatMap(\.symbols) + Operator.beginnings
        #expect(Set(listed).subtracting(rows).isEmpty)
        #expect(listed.count > 50)
    }

    /// Returns the name of a symbol with the argument labels that distinguish operators, or nil if the symbol returns neither
    /// a promise nor a guarantee.
    private static func symbol(_ symbol: PublicSymbol) -> String? {
        guard ["-> Promise<", "-> Guarantee<", ": Promise<"].contains(where: symbol.declaration.contains),
            symbol.path.wholeMatch(of: /(?:(Thenable|Guarantee|Promise|DispatchQueue)\.)?[a-z]\w*(\([^)]*\))?/) != nil
        else { return nil }
        return symbol.path.replacing(/(on|flags|policy|timekeeper|file|line|_):/, with: "")
    }
}
