import Foundation
import Pledge
import Testing

@testable import PledgeHistory

@Suite("A sync of MyDataHelps", .timeLimit(.minutes(60)))
struct ParticipantSyncTests {
    @Test("The first run has everything; the second of an unchanged account takes at most one request for each list")
    func unchanged() async throws {
        let (scratch, bench) = (try Scratch(), try ParticipantBench())
        let history = try History(scratch.path("a.db"))
        try await bench.sync(history)
        let counts = try ["device_data_point", "survey_task", "survey_answer", "notification", "external_account"]
            .map { try history.query("SELECT count(*) FROM \($0)").rows[0][0].integer ?? 0 }
        #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
        let content = try history.content()
        bench.sandbox.server.resetRequests()
        let second = try await bench.sync(history)
        #expect(second.changes == ChangeCount())
        #expect(try history.content() == content)
        // A list for each namespace of device data.
        let lists = bench.sandbox.server.requests.map { "\($0.path) \($0.queryValue("namespace") ?? "")" }
        #expect(Set(lists).count == lists.count, "\(lists)")
    }

    @Test("Ended at any request, the next run goes on from there and comes to the same")
    func interrupted() async throws {
        let (scratch, bench) = (try Scratch(), try ParticipantBench())
        let whole = try History(scratch.path("whole.db"))
        let undisturbed = try await bench.sync(whole)
        let history = try History(scratch.path("a.db"))
        for _ in 0..<3 {
            let left = Locked(5)
            await #expect(throws: SyncStopped.self) {
                try await bench.sync(history) { $0.isStopped = { left.runsOut } }
            }
        }
        try await bench.sync(history)
        #expect(try history.content() == whole.content())
        #expect(undisturbed.requests > 10)
    }

    @Test("A page the service no longer knows is begun again")
    func lostPage() async throws {
        let (scratch, bench) = (try Scratch(), try ParticipantBench())
        let history = try History(scratch.path("a.db"))
        let left = Locked(4)
        await #expect(throws: SyncStopped.self) {
            try await bench.sync(history) { $0.isStopped = { left.runsOut } }
        }
        #expect(try history.query("SELECT count(*) FROM sync_state WHERE page IS NOT NULL").rows == [[1]])
        try history.write { _ = try $0.run("UPDATE sync_state SET page = 'page/7+lost'") }
        try await bench.sync(history)
        let whole = try History(scratch.path("whole.db"))
        try await bench.sync(whole)
        #expect(try history.content() == whole.content())
    }
}
