import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeHistory

// The cases run one at a time, because each of them has databases and a server. On Linux, a process with some 1,400
// open files can't start another process: Foundation then reads past the end of a list.
@Suite("Random histories of an account", .serialized)
struct HistoriesTests {
    @Test(
        "Many syncs while the data changes have the same result as a single sync at the end",
        arguments: History.Service.allCases, 0..<20)
    func histories(_ service: History.Service, _ part: Int) async throws {
        for seed in stride(from: part, to: Rounds.count(usual: 5), by: 20).map({ UInt64(26_000 + $0) }) {
            try await history(of: service, seed, glitches: nil)
        }
    }

    @Test(
        "If the service sometimes omits data, or a token belongs to another person, no rows are deleted or mixed up",
        arguments: History.Service.allCases, 0..<20)
    func glitches(_ service: History.Service, _ part: Int) async throws {
        for seed in stride(from: part, to: Rounds.count(usual: 3), by: 20).map({ UInt64(52_000 + $0) }) {
            try await history(of: service, seed, glitches: .glitches(seed: seed, oneIn: 6))
        }
    }

    private func history(of service: History.Service, _ seed: UInt64, glitches: Alteration?) async throws {
        switch service {
        case .exist:
            let fixture = try ExistFixture(isEmpty: true)
            fixture.sandbox.addToken("another's", username: "noah")
            try await history(of: fixture, ExistChanges(seed: seed, fixture: fixture), seed, glitches)
        case .mydatahelps:
            let fixture = try ParticipantFixture(isEmpty: true, readsV2: true)
            fixture.sandbox.addToken("another's")
            try await history(of: fixture, ParticipantChanges(seed: seed, fixture: fixture), seed, glitches)
        }
    }

    private func history(
        of fixture: any HistoryFixture, _ changes: any RandomChanges, _ seed: UInt64, _ glitches: Alteration?
    ) async throws {
        let scratch = try TemporaryFolder()
        let steps = try History(scratch.path("steps.db"))
        var (changes, generator, stored) = (changes, SeededGenerator(seed: ~seed), 0)
        func sync(
            _ history: History, token: String? = nil, altering alteration: Alteration? = nil,
            _ change: (inout SyncOptions) -> Void = { _ in }
        ) async throws { try await fixture.sync(history, token: token, as: "maya", altering: alteration, change) }
        if glitches != nil { try await sync(steps) }
        for _ in 0..<Int.random(in: 5...30, using: &generator) {
            changes.step()
            guard Int.random(in: 0..<3, using: &generator) == 0 else { continue }
            // Some syncs are stopped halfway. Syncs of Exist have a wrong date, because the device's clock must not
            // matter for them.
            let event = Int.random(in: 0..<(glitches == nil ? 4 : 6), using: &generator)
            let left = Locked(event == 0 ? Int.random(in: 0...8, using: &generator) : .max)
            let isStranger = glitches != nil && event == 1
            let wrong = Date(timeIntervalSince1970: .random(in: 0...4e9, using: &generator))
            do {
                try await sync(steps, token: isStranger ? "another's" : nil, altering: glitches) {
                    if glitches != nil { ($0.isFull, $0.acceptsRemovals) = (event == 2, event == 3) }
                    if glitches == nil, fixture is ExistFixture { $0.now = { wrong } }
                    $0.isStopped = { left.runsOut }
                }
                #expect(!isStranger, "seed \(seed): a token of another was accepted")
                changes.noteSync()
            } catch PromiseError.cancelled {
            } catch is IdentityChange {
                #expect(isStranger, "seed \(seed)")
            }
            guard glitches != nil else { continue }
            let rows = try Self.kept.reduce(0) { $0 + (try steps.count($1)) }
            #expect(rows >= stored, "seed \(seed): rows were deleted")
            stored = rows
        }
        try await sync(steps)
        if glitches != nil { try await sync(steps) { ($0.isFull, $0.acceptsRemovals) = (true, true) } }

        // Syncs everything at once into an empty file.
        let full = try History(scratch.path("full.db"))
        try await sync(full)
        // Compares only the days up to the service's current day. If the user has moved to the west, that day may be
        // one day earlier than before: the synced file still has the later day, but the service lists it again only on
        // the next day.
        let today = try full.query("SELECT bookmark FROM sync_state WHERE list = 'insight'").rows.first?[0].text
        #expect(try steps.viewDifferences() == [], "seed \(seed)")
        let (one, other) = try (steps.content(through: today ?? "9999"), full.content(through: today ?? "9999"))
        #expect(Set(one).symmetricDifference(other).sorted() == [], "seed \(seed)")
    }

    private static let kept = [
        "value", "insight", "attribute", "device_data_point", "device_data_point_v2", "survey_task", "survey_answer",
        "notification",
        "external_account",
    ]
}
