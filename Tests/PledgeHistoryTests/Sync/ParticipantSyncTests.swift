import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("A sync of MyDataHelps")
struct ParticipantSyncTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    @Test("The first sync reads everything; a second one without changes takes at most one request for each list")
    func unchanged() async throws {
        let fixture = try ParticipantFixture()
        try await fixture.sync(history)
        let counts = try ["device_data_point", "survey_task", "survey_answer", "notification", "external_account"]
            .map { try history.count($0) }
        #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
        let content = try history.content()
        fixture.sandbox.server.resetRequests()
        let second = try await fixture.sync(history)
        #expect(second.changes == ChangeCount())
        #expect(try history.content() == content)
        // Each namespace of device data counts as a list.
        let lists = fixture.sandbox.server.requests.map { "\($0.path) \($0.queryValue("namespace") ?? "")" }
        #expect(Set(lists).count == lists.count, "\(lists)")
    }

    @Test("The points that apps store are synced, although the service does not list their namespace")
    func appPoints() async throws {
        let fixture = try ParticipantFixture(isEmpty: true)
        try await fixture.session().persistDeviceData([.init(identifier: "a", type: "Score", value: "seven")])
        try await fixture.sync(history)
        let points = try history.query("SELECT namespace, value FROM device_data_point").rows
        #expect(points == [[.text("Project"), .text("seven")]])
    }

    @Test("If a sync is stopped again and again, its result is the same, and only requests for new data are repeated")
    func interrupted() async throws {
        let fixture = try ParticipantFixture()
        let whole = try History(scratch.path("whole.db"))
        try await fixture.sync(whole)
        let undisturbed = fixture.sandbox.server.requests.map(\.target)
        let asked = try await fixture.sandbox.server.requestsOfRuns { run in
            let left = Locked(4 + 2 * run)
            try await fixture.sync(history) { $0.isStopped = { left.runsOut } }
        }
        #expect(asked.count > 3)
        #expect(try history.content() == whole.content())
        // Each run begins with these requests, because their data may have changed. It also requests what is new in the
        // lists that earlier runs have read. The points of apps are such a list, but it is empty.
        let beginning = [
            "participant", "project", "datacollectionsettings", "surveytasks?sortOrder=Descending&limit=100",
            "devicedata?namespace=Project&limit=100",
        ]
        let repeated = asked.joined().subtracting(undisturbed).filter { target in
            !beginning.contains { target.hasSuffix("/\($0)") } && !target.contains("After=2026-11-")
        }
        #expect(repeated == [])
    }

    @Test(
        "A list starts over if the service has lost its page, but requests the same page again after a temporary error",
        arguments: ["device_data_point", "survey_task"])
    func lostPage(_ list: String) async throws {
        let fixture = try ParticipantFixture(isEmpty: true)
        for number in 0..<230 {
            let moment = fixture.clock.now - Double(number) * 3_000
            fixture.sandbox.putTask(number, status: "complete", inserted: moment, modified: moment)
            fixture.sandbox.putPoint(
                number, namespace: "Fitbit", type: "Steps", value: "7", observed: moment, modified: moment)
        }
        let page = "FROM sync_state WHERE page NOTNULL AND list = '\(list)'"
        await #expect(throws: PromiseError.cancelled) {
            try await fixture.sync(history) {
                $0.isStopped = { (try? history.query("SELECT page \(page)").rows.isEmpty) == false }
            }
        }
        for status in [403, 408, 429, 500] {
            fixture.sandbox.server.script.next(.max) { request in
                request.queryValue("pageID") == nil ? nil : .text("Not now.", status: status)
            }
            fixture.sandbox.server.resetRequests()
            if status == 403 {
                // A 403 may concern only this list, so the sync reads the other lists, and adds a note about this one.
                #expect(try await fixture.sync(history).notes.isEmpty == false)
            } else {
                await #expect(throws: MyDataHelpsError.self) { try await fixture.sync(history) }
            }
            let requests = fixture.sandbox.server.requests.filter {
                $0.path.hasSuffix(list == "survey_task" ? "/surveytasks" : "/devicedata")
                    && $0.queryValue("namespace") ?? "Fitbit" == "Fitbit"
            }
            #expect(requests.map { $0.queryValue("pageID") == nil } == [false], "\(status)")
            fixture.sandbox.server.script.reset()
        }
        try history.transaction { _ = try $0.run("UPDATE sync_state SET page = 'page/7+lost' WHERE page NOTNULL") }
        try await fixture.sync(history)
        let whole = try History(scratch.path("whole.db"))
        try await fixture.sync(whole)
        #expect(try history.content() == whole.content())
    }

    @Test("If no item can be read from the page at which a list resumes, the list is read once more, and the sync ends")
    func unreadablePages() async throws {
        let fixture = try ParticipantFixture(isEmpty: true)
        for number in 0..<230 {
            fixture.sandbox.putPoint(
                number, namespace: "Fitbit", type: "Steps", value: "7", observed: fixture.clock.now,
                modified: fixture.clock.now - Double(number))
        }
        await #expect(throws: PromiseError.cancelled) {
            try await fixture.sync(history) {
                $0.isStopped = {
                    (try? history.query("SELECT page FROM sync_state WHERE page NOTNULL").rows.isEmpty) == false
                }
            }
        }
        fixture.sandbox.server.resetRequests()
        let left = Locked(100)
        let summary = try await fixture.sync(
            history,
            altering: Alteration { target, page in
                guard target.contains("devicedata?"), target.contains("pageID") else { return page }
                return Alteration.items(page) { $0.merging(["modifiedDate": "once"]) { $1 } }
            }
        ) { $0.isStopped = { left.runsOut } }
        let requests = fixture.sandbox.server.requests.filter { $0.queryValue("namespace") == "Fitbit" }
        // Two pages of the interrupted reading, and then the whole list.
        #expect(requests.count == 5, "\(requests.map(\.target))")
        #expect(summary.unreadable["device_data_point"] ?? 0 > 0 && summary.gaps.isEmpty, "\(summary)")
        #expect(try history.count("device_data_point") == 100)
    }

    @Test(
        "If the token may not read a list, or the service fails at it, the sync still reads the other lists",
        arguments: [
            ("/api/v1/delegated/project", 403), ("/api/v1/delegated/datacollectionsettings", 404),
            ("/api/v1/delegated/devicedata", 400), ("/api/v1/delegated/surveytasks", 403),
            ("/api/v1/delegated/notifications", 500),
        ])
    func oneList(path: String, status: Int) async throws {
        let fixture = try ParticipantFixture()
        fixture.sandbox.server.script.next(.max, matching: path) { request in
            request.path == path ? .text("No.", status: status) : nil
        }
        if status == 500 {
            await #expect(throws: MyDataHelpsError.self) { try await fixture.sync(history) }
        } else {
            let notes = try await fixture.sync(history).notes
            #expect(!notes.isEmpty && notes.allSatisfy { $0.contains("could not be read: GET ") }, "\(notes)")
            #expect(
                try history.query("SELECT outcome, error FROM sync_run").rows == [
                    ["done", .text(notes.joined(separator: "\n"))]
                ])
        }
        for table in ["participant", "survey_answer", "external_account"] {
            #expect(try history.query("SELECT 1 FROM \(table)").rows.isEmpty == false, "\(table)")
        }
    }

    @Test("Neither an empty page of tasks nor an unreadable external account makes stored rows count as removed")
    func notGone() async throws {
        let fixture = try ParticipantFixture()
        try await fixture.sync(history)
        let content = try history.content()
        fixture.sandbox.server.script.next(matching: "/api/v1/delegated/surveytasks") { request in
            guard request.queryValue("pageID") == nil else { return nil }
            return .json(["surveyTasks": [], "nextPageID": "page/0"])
        }
        fixture.sandbox.server.script.next(
            matching: "/api/v1/delegated/externalaccounts", respond: .json([["id": 7, "status": "fetchComplete"]]))
        let notes = try await fixture.sync(history).notes
        #expect(try history.content() == content)
        #expect(notes.contains { $0.hasPrefix("Missing in external_account: item 0: ") }, "\(notes)")
        #expect(
            try history.query("SELECT error FROM sync_run ORDER BY id DESC LIMIT 1").rows == [
                [.text(notes.joined(separator: "\n"))]
            ])
    }
}
