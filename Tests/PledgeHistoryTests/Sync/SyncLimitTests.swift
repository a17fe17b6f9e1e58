import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("The limits of a sync")
struct SyncLimitTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    /// Expects that a sync fails if the rows of a list can't be written, and that it saves no state for the list.
    private func expectFailure(writing table: String, _ sync: () async throws -> Void) async throws {
        // An index on an expression that overflows for every row, so that no row can be written.
        let sum = "abs(account * 0 - 9223372036854775807 - 1)"
        try history.transaction { _ = try $0.run("CREATE INDEX failing ON \(table) (\(sum))") }
        await #expect(throws: (any Error).self) { try await sync() }
        #expect(try history.count("sync_state", "list = '\(table)'") == 0)
        try history.transaction { _ = try $0.run("DROP INDEX failing") }
    }

    @Test("If rows can't be written, a sync saves no state for their list, and the next sync reads them again")
    func full() async throws {
        let participant = try ParticipantFixture(isEmpty: true)
        participant.sandbox.putAnswer(1, result: 1, ["7"], inserted: participant.clock.now)
        try await expectFailure(writing: "survey_answer") { try await participant.sync(history) }
        try await participant.sync(history)
        #expect(try history.count("survey_answer") == 1)
        let exist = try ExistFixture(attributes: ["walks"], isLowPriority: true)
        exist.setValues(of: "walks", daysAgo: 2..<3, to: 3)
        try await expectFailure(writing: "value") { try await exist.sync(history) }
        try await exist.sync(history)
        #expect(try history.count("value", "value = 3") == 1)
    }

    @Test("A time stamp in the future is not used as a bookmark, so earlier changes are still read")
    func future() async throws {
        let fixture = try ParticipantFixture(isEmpty: true)
        func put(_ number: Int, after days: Double) {
            let moment = Date.friday + days * 86_400
            fixture.sandbox.putPoint(
                number, namespace: "Fitbit", type: "Steps", value: "7", observed: moment, modified: moment)
        }
        put(1, after: 30)
        try await fixture.sync(history)
        #expect(try history.count("device_data_point") == 1)
        put(2, after: 1)
        fixture.clock.advance(by: 2 * 86_400)
        try await fixture.sync(history)
        #expect(try history.count("device_data_point") == 2)
    }

    @Test("Each sync reads all open tasks again, even if tasks with the same date fill several pages")
    func tasks() async throws {
        let fixture = try ParticipantFixture(isEmpty: true)
        let (now, before) = (fixture.clock.now, fixture.clock.now - 30 * 86_400)
        fixture.sandbox.putTask(0, status: "complete", inserted: now, modified: now)
        for status in ["incomplete", "complete"] {
            for task in 1...250 { fixture.sandbox.putTask(task, status: status, inserted: before, modified: now) }
            try await fixture.sync(history)
            #expect(try history.count("survey_task", "status = '\(status)'") == (status == "complete" ? 251 : 250))
        }
    }

    @Test(
        "A sync marks at most ten missing values of all attributes together",
        arguments: [(5, 5, 10), (5, 6, 5), (0, 10, 10), (0, 11, 0)])
    func removals(one: Int, other: Int, marked: Int) async throws {
        let fixture = try ExistFixture(attributes: ["one", "other"])
        for name in ["one", "other"] { fixture.setValues(of: name, daysAgo: 0..<15) }
        try await fixture.sync(history)
        for (name, lost) in [("one", one), ("other", other)] {
            fixture.setValues(of: name, daysAgo: 1..<lost + 1, to: .null)
        }
        let summary = try await fixture.sync(history)
        #expect(try history.count("value", "removed NOTNULL") == marked)
        #expect(summary.gaps.contains { $0.list == "value" } == (marked < one + other))
    }

    @Test("In a large table, a sync accepts that one row in a hundred is missing, but not one row more")
    func hundredth() throws {
        let session = try SyncSession.begin(in: history, .exist, as: "maya", options: SyncOptions()) { 0 }
        try history.transaction { database in
            try database.put(attribute: "a", of: session.account)
            let rows = (0..<6_099).map { day -> [SQLValue] in [session.account, "a", .text("day \(day)"), 1] }
            _ = try database.put(rows, into: "value")
            let keys = rows.map { Array($0[..<3]) }
            let removed = try [keys[..<60], keys[60..<61]].map { keys in
                try session.remove(Array(keys), of: ListName("value"), in: database).removed
            }
            #expect(removed == [60, 0])
        }
    }

    @Test("A value or an attribute that can't be read doesn't count as removed")
    func unreadable() async throws {
        let fixture = try ExistFixture(attributes: ["walks", "yoga"], isLowPriority: true)
        for name in ["walks", "yoga"] { fixture.setValues(of: name, daysAgo: 1..<3, to: 3) }
        try await fixture.sync(history)
        fixture.sandbox.server.script.next(.max, matching: "/api/2/attributes/") { request in
            let value: ServerJSON = ["date": "2026-11-19", "value": 3]
            switch request.path {
            case "/api/2/attributes/": return .json(.page([.attribute("walks"), ["label": "Yoga"]]))
            case "/api/2/attributes/values/":
                return .json(.page([value, ["date": "2026-11-31", "value": 3]]))
            default: return nil
            }
        }
        let notes = try await fixture.sync(history).notes
        #expect(
            notes.contains { $0.hasPrefix("Missing in value (walks)") }
                && notes.contains { $0.hasPrefix("Missing in attribute") })
        #expect(try history.count("value", "removed ISNULL AND value = 3") == 4)
        #expect(try history.count("attribute", "removed ISNULL") == 2)
    }

    @Test("After the service refuses a token or asks for a pause, no other list is requested", arguments: [401, 429])
    func refused(status: Int) async throws {
        let fixture = try ExistFixture()
        fixture.refuse("averages/", status: status)
        await #expect(throws: (any Error).self) { try await fixture.sync(history) }
        #expect(!fixture.sandbox.server.requests.contains { $0.path == "/api/2/correlations/" })
    }

    @Test("An account never mixes the data of two servers")
    func servers() async throws {
        let fixture = try ExistFixture(isEmpty: true)
        try await fixture.sync(history)
        #expect(
            await thrown(DatabaseError.self) { try await fixture.sync(history) { $0.address = "https://other/" } }
                != nil)
        try await fixture.sync(history, as: "other") { $0.address = "https://other/" }
        #expect(await thrown(DatabaseError.self) { try await fixture.sync(history, as: "other") } != nil)
        #expect(try history.count("sync_run") == 2)
    }
}
