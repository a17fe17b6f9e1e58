import ExistKit
import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Random histories of an Exist account", .timeLimit(.minutes(60)))
struct ExistHistoriesTests {
    /// About a fifth of the 500 that `PLEDGE_HISTORIES=500` covers.
    @Test("Syncing in steps has the same result as syncing once at the end", arguments: 0..<20)
    func histories(_ part: Int) async throws {
        let count = Rounds.count("PLEDGE_HISTORIES", usual: 100)
        for seed in stride(from: part, to: count, by: 20).map({ UInt64(26_000 + $0) }) {
            let difference = try await history(seed)
            #expect(difference == [], "seed \(seed)")
        }
    }

    /// - Returns: The differences between the two databases.
    private func history(_ seed: UInt64) async throws -> [String] {
        let (scratch, bench) = (try TemporaryFolder(), try ExistBench(isEmpty: true))
        defer { bench.sandbox.stop() }
        let steps = try History(scratch.path("steps.db"))
        let overlap = 14
        var changes = ExistChanges(seed: seed, bench: bench, overlap: overlap)
        var dice = SeededGenerator(seed: ~seed)
        for _ in 0..<Int.random(in: 5...25, using: &dice) {
            changes.step()
            guard Int.random(in: 0..<4, using: &dice) == 0 else { continue }
            // The device's clock is random and does not matter; some syncs are stopped halfway.
            let wrong = Date(timeIntervalSince1970: .random(in: 0...4e9, using: &dice))
            let left = Locked(Int.random(in: 0..<3, using: &dice) == 0 ? Int.random(in: 0...8, using: &dice) : .max)
            do {
                try await bench.sync(steps) {
                    $0.overlap = overlap
                    $0.now = { wrong }
                    $0.isStopped = { left.runsOut }
                }
                changes.noteSync()
            } catch PromiseError.cancelled {}
        }
        try await bench.sync(steps)
        let full = try History(scratch.path("full.db"))
        try await bench.sync(full)
        // Days after the service's today, left by a flight to the west, are kept and come again tomorrow.
        let today = try full.query("SELECT bookmark FROM sync_state WHERE list = 'insight'").rows[0][0].text ?? ""
        let (one, other) = (try steps.content(through: today), try full.content(through: today))
        return Set(one).symmetricDifference(other).sorted()
    }
}
