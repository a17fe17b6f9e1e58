import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Runs many simulated nights. `PLEDGE_FUZZ_SEED` selects the first night.
@Suite("Simulated nights")
struct NightTests {
    @Test("In every simulated night, each account has one line or is left for the next run, and no limit is exceeded")
    func nights() async {
        let seeds = Fuzzing.seeds(Rounds.count(usual: 400))
        let failed: UInt64? = await withCheckedContinuation { continuation in
            // Runs on Dispatch's threads, because `concurrentPerform` blocks and Swift's pool has only a few threads.
            DispatchQueue.global().async {
                let first = Locked<UInt64?>(nil)
                DispatchQueue.concurrentPerform(iterations: seeds.count) { part in
                    let seed = seeds.lowerBound + UInt64(part)
                    guard first.withLock({ $0.map { $0 > seed } ?? true }) else { return }
                    if (try? NightRun(Night(seed: seed)).live()) == nil {
                        first.withLock { $0 = min($0 ?? seed, seed) }
                    }
                }
                continuation.resume(returning: first.withLock { $0 })
            }
        }
        if let failed { Issue.record(Comment(rawValue: Self.report(Night(seed: failed)))) }
    }

    /// Runs a failing night again, and returns its error, its plan, and its last events.
    private static func report(_ night: Night) -> String {
        let run = NightRun(night, telling: true)
        let failure = thrown((any Error).self) { try run.live() }
        return "\(failure.map { "\($0)" } ?? "")\n\(night)\n\(run.history.suffix(200).joined(separator: "\n"))"
    }
}
