import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeHistory
@testable import PledgeServer

@Suite("Version 2 of device data", .serialized)
final class DeviceDataV2CommandTests: ToolSuite {
    /// The number of seconds by which the clock of the services and the tool is ahead of the tests' date.
    private let ahead: Locked<Double>

    init() throws {
        let ahead = Locked(0.0)
        self.ahead = ahead
        try super.init(isEmpty: true, now: { TestClock.noon + ahead.withLock { $0 } })
        sandboxes.participants.rateLimit = 100_000
    }

    private var participants: MyDataHelpsSandbox { sandboxes.participants }
    private var key: String { get throws { try ReadTokensTests.made.get().path("key") } }
    private var clock: Timekeeper { .jumping(days: ahead.withLock { $0 } / 86_400) }

    /// Returns the day that is this number of days before the tests' noon, in UTC.
    private func day(ago days: Int) -> String { "\(ExistDay(TestClock.noon, in: .gmt).advanced(by: -days))" }

    /// Returns the identifier of one of the sandbox's participants.
    private func person(_ number: Int) -> String {
        number == 0 ? participants.participantIdentifier : "ÅRE-\(1_000 + number)"
    }

    private func line(_ number: Int) throws -> String {
        let token = [
            "name": participants.serviceAccount, "project": participants.projectID, "participant": person(number),
        ].map { #""\#($0)":"\#($1)""# }.joined(separator: ",")
        return #"{"service":"mydatahelps","account":"\#(person(number))","token":{"serviceAccount":{\#(token),"#
            + #""key":{"file":"\#(try key)"}}}}"# + "\n"
    }

    /// Makes the service list only these types. The service may still refuse a request for a listed type.
    private func list(types: [(namespace: String, type: String)]) {
        sandboxes.server.script.next(.max, matching: "GET /api/v2/administration/projects/") { request in
            guard request.path.hasSuffix("/alldatatypes") else { return nil }
            return .json(
                .array(types.map { ["namespace": .string($0.namespace), "type": .string($0.type), "enabled": true] }))
        }
    }

    private static let steps = (namespace: "GoogleHealth", type: "steps-daily")

    // MARK: The command

    private func v2(_ more: String...) throws -> [String] {
        [
            "device-data", "--v2", "--service-account", participants.serviceAccount, "--key", try key, "--project",
            participants.projectID, "--participant", person(2),
        ] + more
    }

    @Test("`pledge device-data --v2` lists a participant's data points with their local times")
    func command() async throws {
        participants.moveFromFitbitToGoogleHealth(on: day(ago: 20))
        let rows = try await run(v2("--days", "9", "--jsonl"), clock: clock, zone: .gmt).output.split(separator: "\n")
            .map { String($0).json }
        let steps = rows.filter { $0["type"] as? String == "steps-daily" }
        #expect(steps.count == 8 && steps.allSatisfy { $0["label"] as? String == "Steps" })
        #expect(steps.compactMap { $0["day"] as? String } == (1...8).map(day))
        #expect(steps.first?["at"] as? String == "\(day(ago: 0))T00:00:00+01:00")
        #expect(Set(rows.compactMap { $0["type"] as? String }).count == 4)
        let chosen = try await run(v2("--jsonl", "steps"), clock: clock, zone: .gmt).output.split(separator: "\n")
        #expect(chosen.count == 6)
        try await run(v2("stepz"), clock: clock, zone: .gmt, saying: "no device data of type “stepz”", "Steps")
        try await run(["device-data", "--project", "p"], exits: 64, saying: "--project requires --v2")
        try await run(["device-data", "--v2"], exits: 64, saying: "needs --service-account, --project, and --key")
        try await run(v2().dropLast(2) + [], exits: 64, saying: "needs --participant")
    }

    @Test("If a type is refused, `pledge device-data --v2` lists the other types and exits with code 4")
    func refusedType() async throws {
        participants.moveFromFitbitToGoogleHealth(on: day(ago: 20))
        list(types: [("GoogleHealth", "heartRate-list"), Self.steps])
        let run = try await run(
            v2("--days", "9", "--jsonl"), clock: clock, zone: .gmt, exits: 4, saying: "A type could not be read",
            "heartRate-list")
        #expect(run.output.split(separator: "\n").count == 8)
    }

    // MARK: Export and sync

    @Test("If the service refuses a type of version 1 or 2, an export reports the type but the account doesn't fail")
    func export() async throws {
        participants.moveFromFitbitToGoogleHealth(on: day(ago: 20))
        list(types: [("GoogleHealth", "heartRate-list"), Self.steps])
        sandboxes.server.script.next(.max, matching: "GET /api/v1/delegated/devicedata") { request in
            request.queryValue("namespace") == "AppleHealth" ? .json(["message": "No."], status: 400) : nil
        }
        let run = try await export(
            "--sections participant,devicedata --from \(day(ago: 8)) --through \(day(ago: 1))", input: try line(2),
            clock: clock, exits: 4)
        let result = try #require(try run.results.first)
        #expect(result.errorKind == nil)
        let days = result.list("values_v2").compactMap { $0["day"] as? String }
        #expect(days == (1...8).map(day))
        let notes = result.json["unreadable"] as? [String] ?? []
        #expect(notes.count == 2 && notes[0].contains("AppleHealth") && notes[1].contains("heartRate-list"), "\(notes)")
    }

    @Test("The days of an export are in the participant's time zone, or else in UTC, whichever sections it has")
    func days() async throws {
        participants.moveFromFitbitToGoogleHealth(on: day(ago: 20))
        list(types: [Self.steps])
        // At the tests' noon, it is still the same day in UTC and in Stockholm, but the next day in Auckland.
        let auckland = try #require(TimeZone(identifier: "Pacific/Auckland"))
        for zone in ["Europe/Stockholm", nil] {
            if zone == nil {
                sandboxes.rewrite { request, json in
                    guard request.path.hasSuffix("/participant"), case .object(var members) = json else { return json }
                    members["demographics"] = [:]
                    return .object(members)
                }
                list(types: [Self.steps])
            }
            for sections in ["participant,devicedata", "devicedata"] {
                let run = try await ToolRun(
                    ["export", "--sections", sections, "--days", "3"], sandboxes.environment, input: try line(2),
                    clock: clock, zone: auckland
                ).end(0)
                let days = try run.results.first?.list("values_v2").compactMap { $0["day"] as? String }
                #expect(days == [day(ago: 1), day(ago: 2)], "\(sections) in \(zone ?? "an unknown zone")")
            }
        }
    }

    @Test("If a type is refused, a sync reports it and stores the others; `pledge forget` erases what was stored")
    func sync() async throws {
        participants.moveFromFitbitToGoogleHealth(on: day(ago: 20))
        list(types: [("GoogleHealth", "heartRate-list"), Self.steps])
        let database = folder.path("study.db")
        let command = ["sync", try accounts(line(2)), "--database", database]
        try await run(command, clock: clock, exits: 2, saying: "rejected")
        let history = try History(reading: database)
        #expect(try history.query("SELECT count(*) FROM device_data_point_v2").rows == [[20]])
        let error = try history.query("SELECT outcome, error FROM sync_run").rows[0]
        #expect(error[0] == "done" && error[1].text?.contains("(version 2) of GoogleHealth/heartRate-list") == true)
        let report = try await run(
            ["report", "--mydatahelps", "--database", database, "--plain"], clock: clock, zone: .gmt
        ).output
        #expect(report.contains("Google Health") && report.contains("Steps"))
        history.close()
        try await run(["forget", person(2), "--database", database])
        try await run(["forget", person(2), "--database", database, "--verify"])
        let after = try History(reading: database)
        #expect(try after.query("SELECT count(*) FROM device_data_point_v2").rows == [[0]])
        #expect(try Data(contentsOf: URL(fileURLWithPath: database)).range(of: Data("googlehealth-".utf8)) == nil)
    }

    @Test("When a study moves from Fitbit to Google Health, export and sync get everyone's steps without a gap")
    func study() async throws {
        let people = 1...(Rounds.isLong ? 200 : 40)
        for days in 28...60 {
            let end = ExistDay(TestClock.noon, in: .gmt).advanced(by: -days).date(in: .gmt) + 72_000
            participants.putPoint(
                days, namespace: "Fitbit", type: "Steps", value: "\(7_000 + days)", observed: end, modified: end)
        }
        // Steps come from Fitbit until 28 days ago, and from Google Health since 27 days ago.
        participants.moveFromFitbitToGoogleHealth(on: day(ago: 27))
        list(types: [Self.steps, ("GoogleHealth", "sleep-list-session-asleep")])
        let (file, database) = (try accounts(people.map { try line($0) }.joined()), folder.path("study.db"))
        for ago in [30.0, 14, 0] {
            ahead.withLock { $0 = -ago * 86_400 }
            sandboxes.server.resetRequests()
            try await run(["sync", file, "--database", database, "--quiet"], clock: clock)
            let newer = sandboxes.server.requests.filter { $0.path.hasPrefix("/api/v2/") }
            // Each account takes one request for the list of types, and one for each of the two types.
            #expect(newer.count == 3 * people.count)
        }
        let article = try Repository.text("Sources/PledgeHistory/PledgeHistory.docc/Tables.md")
        let query = try #require(article.components(separatedBy: "```sql\n").first { $0.contains("'steps-daily'") })
        let rows = try History(reading: database).query(query.components(separatedBy: "```")[0]).rows
        let expected = (1...60).map(day)
        let lines = Dictionary(grouping: rows) { $0[0].text ?? "" }
        #expect(lines.count == people.count)
        for (account, days) in lines {
            #expect(days.compactMap { $0[1].text } == expected && !days.contains { $0[2] == .null }, "\(account)")
        }
        let run = try await export(
            ["--sections", "participant,devicedata", "--from", day(ago: 60), "--through", day(ago: 1)],
            input: people.map { try line($0) }.joined(),
            clock: clock)
        for result in try run.results {
            let points =
                result.list("values") + result.list("values_v2").filter { $0["type"] as? String == "steps-daily" }
            #expect(points.compactMap { $0["day"] as? String }.sorted(by: >) == expected, "\(result.account)")
        }
        #expect(try run.results.count == people.count)
    }

    @Test("All participants of a service account share the rate limit that responses announce, and no account fails")
    func limit() async throws {
        let keeper = Timekeeper.jumping()
        let both = try BothSandboxes(isEmpty: true, now: keeper.now)
        both.participants.rateLimit = 100_000
        let (routes, hourly) = (both.exist.routes + both.participants.routes, 40)
        let sent = Locked<(times: [Date], refused: Int)>(([], 0))
        both.server.script.next(.max, matching: "/administration/") { request -> ServerResponse? in
            let now = keeper.now()
            let (left, reset) = sent.withLock { sent in
                sent.times.removeAll { now.timeIntervalSince($0) >= 3_600 }
                let left = hourly - sent.times.count - 1
                if left < 0 { sent.refused += 1 } else { sent.times.append(now) }
                return (left, sent.times.first.map { 3_600 - now.timeIntervalSince($0) } ?? 0)
            }
            var response = left < 0 ? ServerResponse.json(["message": "No."], status: 429) : routes.respond(to: request)
            response.headers["RateLimit-Limit"] = "\(hourly)"
            response.headers["RateLimit-Remaining"] = "\(max(0, left))"
            response.headers["RateLimit-Reset"] = "\(Int(reset.rounded(.up)))"
            return response
        }
        let people = 1...12
        let file = try accounts(people.map { try line($0) }.joined())
        let command = ["sync", file, "--database", folder.path("study.db"), "--wait", "86400", "--in-flight", "2"]
        try await ToolRun(command + ["--quiet"], both.environment, clock: keeper).end(0)
        // Each account takes one request for the participant, one for the list of types, and one for each of the eight
        // types.
        let asked = both.server.requests.count { $0.path.contains("/administration/") }
        let refused = sent.withLock(\.refused)
        #expect(asked - refused == 10 * people.count)
        // 120 requests at 40 an hour reach the limit three times. Each time, one other request may already be in
        // flight.
        #expect(refused <= 3, "\(refused)")
    }
}
