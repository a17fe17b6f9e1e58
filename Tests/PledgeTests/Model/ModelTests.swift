import Foundation
import PledgeTestSupport
import Testing

/// Runs random programs of promises, and compares their outcomes with those that a reference allows.
///
/// `PLEDGE_EFFORT` multiplies the number of programs, and `PLEDGE_FUZZ_SEED` selects the first program.
@Suite("Random programs of promises", .serialized)
struct ModelTests {
    @Test(
        "Random programs have only outcomes that the reference allows; handlers run once, in order, on their queue; nothing leaks"
    )
    func programs() async {
        _ = LogCapture.shared
        let seeds = Fuzzing.seeds(Rounds.count(usual: 1_000, isSlow: false), "programs of promises")
        // Runs on a thread of its own, because the threads of tasks must not be blocked.
        let failures = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.failures(seeds)) }
        }
        for failure in failures { Issue.record("\(failure)") }
    }

    /// Runs the programs until one fails, and returns a description of that program and its failures.
    private static func failures(_ seeds: Range<UInt64>) -> [String] {
        let crew = ThreadCrew(count: 3)
        defer { crew.dismiss() }
        var failures: [String] = []
        for seed in seeds where failures.isEmpty {
            let program = Program(seed: seed)
            let complaints = ProgramRun.check(program, crew)
            if !complaints.isEmpty { failures.append(([program.description] + complaints).joined(separator: "\n  ")) }
        }
        return failures
    }
}
