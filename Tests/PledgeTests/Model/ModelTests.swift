import Foundation
import PledgeTestSupport
import Testing

/// Random programs of promises, compared with a reference that knows their allowed outcomes.
///
/// `PLEDGE_EFFORT` determines their number, `PLEDGE_SEED` the first one.
@Suite("Random programs of promises", .serialized)
struct ModelTests {
    @Test(
        "Every promise has an allowed outcome, handlers run once, in order, and on their queue, and nothing is leaked")
    func programs() async {
        _ = LogCapture.shared
        let seed = ProcessInfo.processInfo.environment["PLEDGE_SEED"].flatMap { UInt64($0) }
        let (first, count) = (seed ?? .random(in: 0..<1 << 32), UInt64(Rounds.count(usual: 1_000, isSlow: false)))
        print("Programs of promises: \(count) from PLEDGE_SEED=\(first)")
        // On its own thread, because the threads of tasks must not be blocked.
        let failures = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.failures(from: first, count)) }
        }
        for failure in failures { Issue.record("\(failure)") }
    }

    /// The first program that fails.
    private static func failures(from first: UInt64, _ count: UInt64) -> [String] {
        let crew = ThreadCrew(count: 3)
        defer { crew.dismiss() }
        var failures: [String] = []
        for seed in first..<first + count where failures.isEmpty {
            let program = Program(seed: seed)
            let complaints = ProgramRun.check(program, crew)
            if !complaints.isEmpty { failures.append(([program.description] + complaints).joined(separator: "\n  ")) }
        }
        return failures
    }
}
