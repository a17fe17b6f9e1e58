import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

// One at a time: each has databases and a server, and a process with some 1,400 open files can no longer start another
// on Linux, where Foundation then reads past the end of a list.
@Suite("Random histories of an Exist account", .serialized, .timeLimit(.minutes(60)))
struct ExistHistoriesTests {
    @Test("Syncing in steps has the same result as syncing once at the end", arguments: 0..<20)
    func histories(_ part: Int) async throws {
        let count = Rounds.count(usual: 5)
        for seed in stride(from: part, to: count, by: 20).map({ UInt64(26_000 + $0) }) {
            try await history(seed)
        }
    }

    @Test(
        "With a service that sometimes leaves out what it has, and tokens of others, nothing is deleted or mixed up",
        arguments: 0..<20)
    func glitches(_ part: Int) async throws {
        let count = Rounds.count(usual: 3)
        for seed in stride(from: part, to: count, by: 20).map({ UInt64(52_000 + $0) }) {
            try await disturbed(seed)
        }
    }

    private func disturbed(_ seed: UInt64) async throws {
        let (scratch, bench) = (try TemporaryFolder(), try ExistBench(isEmpty: true))
        bench.sandbox.addToken("another's", username: "noah")
        let steps = try History(scratch.path("steps.db"))
        var changes = ExistChanges(seed: seed, bench: bench, overlap: 14)
        var dice = SeededGenerator(seed: ~seed)
        let glitches = Alteration.glitches(seed: seed, oneIn: 6)
        var stored = 0
        try await bench.sync(steps, as: "maya")
        for _ in 0..<Int.random(in: 5...25, using: &dice) {
            changes.step()
            let event = Int.random(in: 0..<16, using: &dice)
            guard event < 6 else { continue }
            let left = Locked(event == 0 ? Int.random(in: 0...8, using: &dice) : .max)
            do {
                try await bench.sync(steps, token: event == 1 ? "another's" : nil, as: "maya", altering: glitches) {
                    $0.isFull = event == 2
                    $0.acceptsRemovals = event == 3
                    $0.isStopped = { left.runsOut }
                }
                #expect(event != 1, "seed \(seed): a token of another was accepted")
                changes.noteSync()
            } catch PromiseError.cancelled {
            } catch is IdentityChange {
                #expect(event == 1, "seed \(seed)")
            }
            let rows = try ["value", "insight", "attribute"].reduce(0) { $0 + (try steps.count($1)) }
            #expect(rows >= stored, "seed \(seed): rows were deleted")
            stored = rows
        }
        func sync(full: Bool = false) async throws {
            try await bench.sync(steps, as: "maya") { ($0.isFull, $0.acceptsRemovals) = (full, full) }
        }
        try await sync()
        try await sync(full: true)
        try await compare(steps, with: bench, as: "maya", in: scratch, seed)
    }

    private func history(_ seed: UInt64) async throws {
        let (scratch, bench) = (try TemporaryFolder(), try ExistBench(isEmpty: true))
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
        try await compare(steps, with: bench, in: scratch, seed)
    }

    /// Compares a history with one that is synced at once.
    private func compare(
        _ steps: History, with bench: ExistBench, as name: String? = nil, in scratch: TemporaryFolder, _ seed: UInt64
    ) async throws {
        let full = try History(scratch.path("full.db"))
        try await bench.sync(full, as: name)
        // Days after the service's today, left by a flight to the west, are kept and come again tomorrow.
        let today = try full.query("SELECT bookmark FROM sync_state WHERE list = 'insight'").rows[0][0].text ?? ""
        #expect(try steps.viewDifferences() == [], "seed \(seed)")
        let (one, other) = (try steps.content(through: today), try full.content(through: today))
        #expect(Set(one).symmetricDifference(other).sorted() == [], "seed \(seed)")
    }
}
