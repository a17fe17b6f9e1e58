import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// The content of a line, compared with its schema and with the models.
@Suite("Lines of `pledge export`", .serialized, .timeLimit(.minutes(60)))
final class ExportLineTests: ToolSuite {
    private let schema: JSONSchema

    init() throws {
        schema = try JSONSchema("results")
        try super.init()
    }

    private func lines(_ input: String, _ arguments: String...) async throws -> [ResultLine] {
        try await export(["--days", "40", "--accept-errors"] + arguments, input: input).results
    }

    @Test("Lines of both services, and those with errors, match the schema")
    func valid() async throws {
        let faulty = #"{"service":"exist","account":"unset","token":{"env":"NOT_SET"}}"# + "\n"
        sandboxes.server.script.next(2, matching: "GET /api/2/averages/", respond: .text("<html>", status: 200))
        let lines = try await lines(sandboxes.lines(1...4) + faulty)

        #expect(lines.count == 5)
        for line in lines { #expect(schema.problems(of: line.json) == []) }
        var broken = lines[0].json
        broken["more"] = 1
        #expect(!schema.problems(of: broken).isEmpty, "or the check would prove nothing")
        let kinds = ((schema.definition("error")["properties"] as? [String: Any])?["kind"] as? [String: Any])?["enum"]
        #expect(Set(kinds as? [String] ?? []) == AccountError.kinds)
    }

    /// Returns the names of a model's properties as in a line, without those that are nil or empty.
    private func names(_ model: Any) -> Set<String> {
        let others = ["serviceInfo": "service", "clock": "localTime", "values": nil, "unreadableValues": nil]
        return Set(
            Mirror(reflecting: model).children.compactMap { child -> String? in
                // A leading underscore marks a property that is not part of the model's value.
                guard let label = child.label, !label.hasPrefix("_") else { return nil }
                let inside = Mirror(reflecting: child.value)
                if [.optional, .collection, .dictionary].contains(inside.displayStyle), inside.children.isEmpty {
                    return nil
                }
                let name = others[label] ?? label
                return name?.replacing(/([a-z])([A-Z])/) { "\($0.output.1)_\($0.output.2)" }.lowercased()
            })
    }

    @Test("What the service does not say of a participant is not in the line")
    func unstated() async throws {
        sandboxes.server.script.next(
            .max, matching: "GET /api/v1/delegated/participant",
            respond: .json([
                "participantID": "a", "projectID": "b", "participantIdentifier": "c", "demographics": nil,
            ]))
        let line = try #require(try await lines(sandboxes.line(2), "--sections", "participant").first)
        let participant = line.json["participant"] as? [String: Any]
        #expect(participant?["participant_id"] as? String == "a")
        #expect((participant?["demographics"] as? [String: Any])?.isEmpty == true)
    }

    @Test("Every field of the models is in the lines")
    func everything() async throws {
        let lines = try await lines(sandboxes.lines(1...2))
        let exist = try #require(lines.first { $0.service == "exist" })
        let mydatahelps = try #require(lines.first { $0.service == "mydatahelps" })
        let api = ExistAPI(token: "secret-exist-1", timeout: 600, baseURL: sandboxes.server.baseURL)
        let session = ParticipantSession(
            client: MyDataHelpsClient(baseURL: sandboxes.server.baseURL),
            accessToken: ParticipantAccessToken(token: "secret-participant-2"))

        func check(_ models: [Any], _ json: [[String: Any]], _ what: Comment) {
            #expect(models.count == json.count && !json.isEmpty, what)
            for (model, object) in zip(models, json) {
                let missing = names(model).subtracting(object.keys)
                #expect(missing.isEmpty, "\(what.rawValue)")
            }
        }
        func object(_ name: String, in line: ResultLine) -> [[String: Any]] {
            [line.json[name] as? [String: Any] ?? [:]]
        }

        check([try await api.user().value.user], object("profile", in: exist), "profile")
        check(try await api.attributes().value.attributes, exist.list("attributes"), "attributes")
        check(try await api.averages().value.averages, exist.list("averages"), "averages")
        check(try await api.all(.correlations()).value.items, exist.list("correlations"), "correlations")
        let insights = try await api.insights(days: 40).value.insights.results
        check(insights, exist.list("insights"), "insights")
        check(insights.map(\.type), exist.list("insights").compactMap { $0["type"] as? [String: Any] }, "types")

        let participant = try await session.getParticipantInfo().value
        check([participant], object("participant", in: mydatahelps), "participant")
        let demographics = (mydatahelps.json["participant"] as? [String: Any])?["demographics"] as? [String: Any]
        check([participant.demographics], [demographics ?? [:]], "demographics")
        check([try await session.getProjectInfo().value], object("project", in: mydatahelps), "project")
        let tasks = try await session.querySurveyTasks(SurveyTaskQuery()).value.items
        check(tasks, Array(mydatahelps.list("tasks").prefix(tasks.count)), "tasks")
        let points = try await session.queryDeviceData(DeviceDataQuery(namespace: .project)).value.items
        func checkEach<Item>(_ items: [Item], _ list: String, _ what: Comment, id: (Item) -> String) {
            for item in items {
                let line = mydatahelps.list(list).first { $0["id"] as? String == id(item) }
                if let line { check([item], [line], what) }
            }
        }
        checkEach(points, "values", "device data") { $0.id.value }
        checkEach(try await session.querySurveyAnswers(SurveyAnswersQuery()).value.items, "answers", "answers") {
            $0.id.value
        }
    }

    @Test("An item that a page repeats, because others were inserted while the list was read, stands once in its line")
    func shifted() async throws {
        let (participants, now) = (sandboxes.participants, Date(timeIntervalSinceNow: -86_400))
        let first = 1_000_000
        @Sendable func put(_ numbers: Range<Int>) {
            for number in numbers {
                let moment = now.addingTimeInterval(Double(number - first))
                participants.putPoint(
                    number, namespace: "Fitbit", type: "Shifted", value: "\(number)", observed: moment,
                    modified: moment)
                participants.putTask(number, status: "complete", inserted: moment, modified: moment)
                participants.putAnswer(number, result: number, ["\(number)"], inserted: moment)
            }
        }
        put(first..<first + 250)
        let added = Counter()
        sandboxes.server.script.next(.max) { request in
            // Newer items come before all others, and move those to the next page.
            if request.target.contains("pageID=") {
                let newer = first + 300 + 10 * added.next()
                put(newer..<newer + 10)
            }
            return nil
        }
        let line = try #require(try await lines(sandboxes.line(2), "--sections", "devicedata,tasks,answers").first)
        for (list, count) in [("values", 250), ("tasks", 250), ("answers", 250)] {
            let ids = line.list(list).compactMap { $0["id"] as? String }
            #expect(Set(ids).count == ids.count && ids.count >= count, "\(list): \(ids.count)")
        }
    }

    @Test("A moment keeps its fraction of a second and its offset from UTC")
    func moments() async throws {
        sandboxes.exist.move(to: try #require(TimeZone(identifier: "Asia/Kolkata")))
        let observed = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 86_400).rounded() + 0.25)
        sandboxes.participants.putPoint(
            1_000_000, namespace: "Fitbit", type: "Exact", value: "1", observed: observed, modified: observed)
        let lines = try await lines(sandboxes.lines(1...2))
        for line in lines { #expect(schema.problems(of: line.json) == []) }
        let exist = try #require(lines.first { $0.service == "exist" })
        let mydatahelps = try #require(lines.first { $0.service == "mydatahelps" })

        let point = try #require(mydatahelps.list("values").first { $0["type"] as? String == "Exact" })
        #expect((point["modified_date"] as? String)?.suffix(8) == ":\(second(observed)).250Z".suffix(8))
        #expect((point["observation_date"] as? String)?.hasSuffix("+01:00") == true, "\(point)")
        let profile = try #require(exist.json["profile"] as? [String: Any])
        #expect((profile["local_time"] as? String)?.hasSuffix("+05:30") == true, "\(profile)")
    }

    private func second(_ date: Date) -> String {
        let second = Int(date.timeIntervalSince1970.rounded(.down)) % 60
        return second < 10 ? "0\(second)" : "\(second)"
    }

    @Test("Items that cannot be read are told in the line, and how many more there are")
    func unreadable() async throws {
        let items = Array(repeating: "{}", count: 30).joined(separator: ",")
        sandboxes.server.script.next(
            1, matching: "GET /api/2/averages/",
            respond: .text(#"{"count":30,"next":null,"previous":null,"results":[\#(items)]}"#, status: 200))
        let read = try await lines(sandboxes.line(1), "--sections", "averages", "--accept-unreadable")
        let line = try #require(read.first)
        let told = try #require(line.json["unreadable"] as? [String])
        #expect(told.count == 21 && told.last == "10 more items could not be read.", "\(told)")
        #expect(schema.problems(of: line.json) == [])
    }
}
