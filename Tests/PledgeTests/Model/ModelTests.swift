import Foundation
import PledgeTestSupport
import Testing

/// Random programs of promises, against a reference that knows what may come of them.
///
/// `PLEDGE_PROGRAMS` says how many, `PLEDGE_SEED` which is the first.
@Suite("Any program", .serialized)
struct ModelTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test("settles all of its promises as it may, runs handlers once, in order and in their place, and leaves nothing")
    func programs() async {
        _ = LogCapture.shared
        let first = Self.number("PLEDGE_SEED") ?? .random(in: 0..<1 << 32)
        let count = Self.number("PLEDGE_PROGRAMS") ?? 3_000
        print("Programs of promises: \(count) from PLEDGE_SEED=\(first)")
        // In a thread of its own, as those of tasks are not to be blocked.
        let failures = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.failures(from: first, count)) }
        }
        for failure in failures { Issue.record("\(failure)") }
    }

    /// The first program that goes wrong.
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
