import Foundation
import MyDataHelpsKit
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
            await #expect(throws: PromiseError.cancelled) {
                try await bench.sync(history) { $0.isStopped = { left.runsOut } }
            }
        }
        try await bench.sync(history)
        #expect(try history.content() == whole.content())
        #expect(undisturbed.requests > 10)
    }

    @Test(
        "A page the service no longer knows is begun again, and one that it does not give now is asked for once more",
        arguments: ["device_data_point", "survey_task"])
    func lostPage(_ list: String) async throws {
        let (scratch, bench) = (try Scratch(), try ParticipantBench(isEmpty: true))
        for number in 0..<230 {
            let moment = bench.clock.now - Double(number) * 3_000
            bench.sandbox.putTask(number, status: "complete", inserted: moment, modified: moment)
            bench.sandbox.putPoint(
                number, namespace: "Fitbit", type: "Steps", value: "7", observed: moment, modified: moment)
        }
        let history = try History(scratch.path("a.db"))
        let page = "FROM sync_state WHERE page NOTNULL AND list = '\(list)'"
        await #expect(throws: PromiseError.cancelled) {
            try await bench.sync(history) {
                $0.isStopped = { (try? history.query("SELECT page \(page)").rows.isEmpty) == false }
            }
        }
        for status in [403, 408, 429, 500] {
            bench.sandbox.server.script.next(.max) { request in
                request.queryValue("pageID") == nil ? nil : .text("Not now.", status: status)
            }
            bench.sandbox.server.resetRequests()
            await #expect(throws: MyDataHelpsError.self) { try await bench.sync(history) }
            let requests = bench.sandbox.server.requests.filter {
                $0.path.hasSuffix(list == "survey_task" ? "/surveytasks" : "/devicedata")
                    && $0.queryValue("namespace") ?? "Fitbit" == "Fitbit"
            }
            #expect(requests.map { $0.queryValue("pageID") == nil } == [false], "\(status)")
            bench.sandbox.server.script.reset()
        }
        try history.write { _ = try $0.run("UPDATE sync_state SET page = 'page/7+lost' WHERE page NOTNULL") }
        try await bench.sync(history)
        let whole = try History(scratch.path("whole.db"))
        try await bench.sync(whole)
        #expect(try history.content() == whole.content())
    }
}
