import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// `PLEDGE_SYNC_NIGHTS` sets their number, and `PLEDGE_SYNC_NIGHT` selects only the one with that seed.
@Suite("Simulated nights of `pledge sync`", .timeLimit(.minutes(60)))
struct SyncNightTests {
    private static var seeds: Range<UInt64> {
        let only = ProcessInfo.processInfo.environment["PLEDGE_SYNC_NIGHT"].flatMap(UInt64.init)
        return only.map { $0..<$0 + 1 } ?? 1..<1 + UInt64(Rounds.count(usual: 3))
    }

    @Test("Whatever happens, no bookmark is ahead of its data, and the night ends as an undisturbed one does")
    func nights() async throws {
        let world = try await SyncNight.World()
        #expect(world.content.count > 1000 && world.requests > 50)
        for seed in Self.seeds {
            do {
                try await SyncNight(seed: seed, in: world).live()
            } catch {
                Issue.record("sync night \(seed): \(error)")
                return
            }
        }
    }
}
