import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Where a sync ends", .timeLimit(.minutes(60)))
struct SyncLimitTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    /// Makes writing the rows of a table fail, or possible again.
    private func setFailing(_ isFailing: Bool, _ table: String) throws {
        // An index over a sum that is too large for any row.
        let sum = "abs(account * 0 - 9223372036854775807 - 1)"
        try history.write {
            _ = try $0.run(isFailing ? "CREATE INDEX failing ON \(table) (\(sum))" : "DROP INDEX failing")
        }
    }

    @Test("Rows that could not be written have left no state behind, and the next sync reads them")
    func full() async throws {
        let participant = try ParticipantBench(isEmpty: true)
        participant.sandbox.putAnswer(1, result: 1, ["7"], inserted: participant.clock.now)
        try setFailing(true, "survey_answer")
        await #expect(throws: (any Error).self) { try await participant.sync(history) }
        #expect(try history.count("sync_state", "list = 'survey_answer'") == 0)
        try setFailing(false, "survey_answer")
        try await participant.sync(history)
        #expect(try history.count("survey_answer") == 1)

        let exist = try ExistBench(isEmpty: true)
        exist.sandbox.addAttribute("walks", isLowPriority: true)
        exist.sandbox.setValue(3, of: "walks", on: "2026-11-18")
        try setFailing(true, "value")
        await #expect(throws: (any Error).self) { try await exist.sync(history) }
        #expect(try history.count("sync_state", "list = 'value'") == 0)
        try setFailing(false, "value")
        try await exist.sync(history)
        #expect(try history.count("value", "value = 3") == 1)
    }

    @Test("A time stamp in the future is no bookmark: what changes before that is read")
    func future() async throws {
        let bench = try ParticipantBench(isEmpty: true)
        func put(_ number: Int, after days: Double) {
            let moment = HandClock.friday + days * 86_400
            bench.sandbox.putPoint(
                number, namespace: "Fitbit", type: "Steps", value: "7", observed: moment, modified: moment)
        }
        put(1, after: 30)
        try await bench.sync(history)
        #expect(try history.count("device_data_point") == 1)
        put(2, after: 1)
        bench.clock.advance(2 * 86_400)
        try await bench.sync(history)
        #expect(try history.count("device_data_point") == 2)
    }

    @Test("All open tasks are read again, also those of the same moment on several pages")
    func tasks() async throws {
        let bench = try ParticipantBench(isEmpty: true)
        let (now, before) = (bench.clock.now, bench.clock.now - 30 * 86_400)
        bench.sandbox.putTask(0, status: "complete", inserted: now, modified: now)
        for status in ["incomplete", "complete"] {
            for task in 1...250 { bench.sandbox.putTask(task, status: status, inserted: before, modified: now) }
            try await bench.sync(history)
            #expect(try history.count("survey_task", "status = '\(status)'") == (status == "complete" ? 251 : 250))
        }
    }

    @Test(
        "A sync marks ten values that are gone, of all attributes together, but not one more",
        arguments: [(5, 5, 10), (5, 6, 5), (0, 10, 10), (0, 11, 0)])
    func removals(one: Int, other: Int, marked: Int) async throws {
        let bench = try ExistBench(isEmpty: true)
        for name in ["one", "other"] {
            bench.sandbox.addAttribute(name)
            for day in 0..<15 {
                let day = ExistDay(HandClock.friday, in: .gmt).advanced(by: -day)
                bench.sandbox.setValue(7, of: name, on: day.description)
            }
        }
        try await bench.sync(history)
        for (name, lost) in [("one", one), ("other", other)] {
            for day in 0..<lost {
                bench.sandbox.setValue(.null, of: name, on: "2026-11-\(19 - day < 10 ? "0" : "")\(19 - day)")
            }
        }
        let summary = try await bench.sync(history)
        #expect(try history.count("value", "removed NOTNULL") == marked)
        #expect(summary.gaps.contains { $0.list == "value" } == (marked < one + other))
    }

    @Test("Of very many rows, one in a hundred may be gone, but not one more")
    func hundredth() throws {
        let run = try SyncRun(history, service: "exist", name: "maya", options: SyncOptions()) { 0 }
        try history.write { database in
            _ = try database.put([[run.key, "a", "A", "g", "G", 1, 1, nil, 0, nil, nil, nil, 0, 1]], into: "attribute")
            let rows = (0..<6_039).map { day -> [SQLValue] in [run.key, "a", .text("day \(day)"), 1] }
            _ = try database.put(rows, into: "value")
            let table = try database.table("value")
            let accepted = try [60, 1].map { try run.removal(of: "value").isAccepted($0, table, database) }
            #expect(accepted == [true, false])
        }
    }

    @Test("An item that could not be read does not count as removed: a value on a page, an attribute")
    func unreadable() async throws {
        let bench = try ExistBench(isEmpty: true)
        for name in ["walks", "yoga"] {
            bench.sandbox.addAttribute(name, isLowPriority: true)
            for day in ["2026-11-18", "2026-11-19"] { bench.sandbox.setValue(3, of: name, on: day) }
        }
        try await bench.sync(history)
        bench.sandbox.server.script.next(.max, matching: "/api/2/attributes/") { request in
            let value: ServerJSON = ["date": "2026-11-19", "value": 3]
            switch request.path {
            case "/api/2/attributes/": return .json(.page([.attribute("walks"), ["label": "Yoga"]]))
            case "/api/2/attributes/values/":
                return .json(.page([value, ["date": "2026-11-31", "value": 3]]))
            default: return nil
            }
        }
        let notes = try await bench.sync(history).notes
        #expect(
            notes.contains { $0.hasPrefix("Not in value (walks)") }
                && notes.contains { $0.hasPrefix("Not in attribute") })
        #expect(try history.count("value", "removed ISNULL AND value = 3") == 4)
        #expect(try history.count("attribute", "removed ISNULL") == 2)
    }

    @Test("After a token is refused, or the service wants a pause, no other list is requested", arguments: [401, 429])
    func refused(status: Int) async throws {
        let bench = try ExistBench()
        bench.sandbox.server.script.next(
            .max, matching: "/api/2/averages/", respond: .json(["detail": "No."], status: status))
        await #expect(throws: (any Error).self) { try await bench.sync(history) }
        #expect(!bench.sandbox.server.requests.contains { $0.path == "/api/2/correlations/" })
    }

    @Test("The data of two servers is never mixed in an account")
    func servers() async throws {
        let bench = try ExistBench(isEmpty: true)
        try await bench.sync(history)
        #expect(
            await thrown(DatabaseError.self) { try await bench.sync(history) { $0.address = "https://other/" } } != nil)
        try await bench.sync(history, as: "other") { $0.address = "https://other/" }
        #expect(await thrown(DatabaseError.self) { try await bench.sync(history, as: "other") } != nil)
        #expect(try history.count("sync_run") == 2)
    }
}
