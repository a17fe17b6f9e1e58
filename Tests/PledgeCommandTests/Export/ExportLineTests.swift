import Foundation
import PledgeCoding
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeServer

@Suite("Result lines of `pledge export`", .serialized)
final class ExportLineTests: ToolSuite {
    private let schema: JSONSchema

    init() throws {
        schema = try JSONSchema("results")
        try super.init()
    }

    private func lines(_ input: String, _ arguments: String...) async throws -> [ResultLine] {
        try await export(["--days", "40", "--accept-errors"] + arguments, input: input).results
    }

    @Test("Result lines of both services match the schema, even lines with errors or unreadable items")
    func valid() async throws {
        let faulty = #"{"service":"exist","account":"unset","token":{"env":"NOT_SET"}}"# + "\n"
        let items = ServerJSON.array(Array(repeating: [:], count: 21))
        let unreadable = ServerResponse.json(["count": 21, "next": nil, "results": items])
        sandboxes.server.script.next(1, matching: "GET /api/2/averages/", respond: unreadable)
        sandboxes.server.script.next(2, matching: "GET /api/2/averages/", respond: .text("<html>", status: 200))
        // An account that is tried again comes after the next account, so the lines have to be sorted.
        let lines = try await lines(sandboxes.lines(1...4) + faulty, "--in-flight", "1", "--accept-unreadable")
            .sorted { $0.account < $1.account }
        #expect(lines.map(\.errorKind) == [nil, nil, "unreadable", nil, "noToken"])
        for line in lines { #expect(schema.problems(of: line.json) == []) }
        let told = lines[0].json["unreadable"] as? [String]
        #expect(told?.count == 21 && told?.last == "1 more item could not be read.", "\(told ?? [])")
        var broken = lines[0].json
        broken["more"] = 1
        #expect(!schema.problems(of: broken).isEmpty, "or the check would prove nothing")
        let kinds = ((schema.definition("error")["properties"] as? [String: Any])?["kind"] as? [String: Any])?["enum"]
        #expect(Set(kinds as? [String] ?? []) == AccountError.kinds)
    }

    @Test("A result line omits the fields of a participant that the service doesn't send")
    func unstated() async throws {
        sandboxes.server.script.next(
            .max, matching: "GET /api/v1/delegated/participant",
            respond: .json(["participantID": "a", "projectID": "b", "participantIdentifier": "c", "demographics": nil]))
        let line = try #require(try await lines(sandboxes.line(2), "--sections", "participant").first)
        let participant = line.json["participant"] as? [String: Any]
        #expect(participant?["participant_id"] as? String == "a")
        #expect((participant?["demographics"] as? [String: Any])?.isEmpty == true)
    }

    /// The fields that a line renames. The keys are the service's names, and the values are the line's names. A line
    /// has all other fields under the service's names in snake case.
    private static let names = [
        "user_attribute": "attribute", "date": "day", "target_date": "target_day",
        "unsubscribedFromEmails": "is_unsubscribed_from_emails", "unsubscribedFromSms": "is_unsubscribed_from_sms",
    ]

    /// Returns JSON with values for the members that a service may send but the sandbox leaves null.
    private static func filled(_ json: ServerJSON) -> ServerJSON {
        let moment: ServerJSON = "2026-11-20T10:00:00.250+01:00"
        let missing: [String: ServerJSON] = [
            "attribute_category": "a", "description": "b", "occurrence": "c", "middleName": "d", "startDate": moment,
            "endDate": moment, "dueDate": moment, "deviceDataContextID": "e", "units": "f",
        ]
        switch json {
        case .array(let items): return .array(items.map(filled))
        case .object(var members):
            for (name, value) in members { members[name] = value == .null ? missing[name] ?? .null : filled(value) }
            if members["properties"] == [:] { members["properties"] = ["some": "thing"] }
            if members["postalCode"] != nil { members["state"] = "Z" }
            return .object(members)
        default: return json
        }
    }

    /// Returns the paths of everything that a service sent but the line lacks. The line may write a time in another
    /// form, but must keep the time's offset.
    private func missing(_ sent: ServerJSON, in line: Any?, at path: String) -> [String] {
        switch sent {
        case .null, "": return []
        case .object(let members):
            return members.filter { $0.key != "values" }.flatMap { name, value in
                let snake = name.replacing(/([a-z])([A-Z])/) { "\($0.output.1)_\($0.output.2)" }.lowercased()
                let isFree = path.hasSuffix("custom_fields") || path.hasSuffix("properties")
                let own = isFree ? name : path == "answers" && name == "date" ? name : Self.names[name] ?? snake
                return missing(value, in: (line as? [String: Any])?[own], at: "\(path).\(own)")
            }
        case .array(let items):
            let own = line as? [Any] ?? []
            return own.count == items.count
                ? zip(items, own).flatMap { missing($0, in: $1, at: path) }
                : ["\(path): \(own.count) of \(items.count)"]
        case .string(let text):
            if let (date, offset) = Timestamp.parse(text) {
                let own = (line as? String).flatMap { Timestamp.parse($0) } ?? (.distantPast, nil)
                return abs(own.date.timeIntervalSince(date)) < 0.001 && own.offset == offset ? [] : [path]
            }
            // In a line, URLs are percent-encoded. Some flags that the service sends as text are Booleans in a line.
            let own = (line as? Bool)?.description ?? line as? String
            return own == text || own?.removingPercentEncoding == text ? [] : [path]
        case .bool(let flag): return line as? Bool == flag ? [] : [path]
        case .integer, .number:
            let (own, number) = (line as? Double ?? .nan, sent.double ?? .nan)
            // Foundation may round the last digits when it reads a number.
            return abs(own - number) <= abs(number) * 1e-12 ? [] : [path]
        }
    }

    @Test("Result lines contain everything that the services send, under the names of the schema")
    func everything() async throws {
        let sent = Protected<[String: [ServerJSON]]>([:])
        sandboxes.rewrite { request, json in
            let (name, json) = (String(request.path.split(separator: "/").last ?? ""), Self.filled(json))
            sent.withLock { $0[name, default: []].append(json) }
            return json
        }
        let lines = try await lines(sandboxes.lines(1...2))
        for line in lines {
            #expect(line.errorKind == nil && schema.problems(of: line.json) == [], "\(line.json["unreadable"] ?? "")")
        }
        for (path, list, name) in [
            ("profile", nil, "profile"), ("with-values", "results", "attributes"), ("averages", "results", "averages"),
            ("correlations", "results", "correlations"), ("insights", "results", "insights"),
            ("participant", nil, "participant"), ("project", nil, "project"),
            ("devicedata", "deviceDataPoints", "values"), ("surveytasks", "surveyTasks", "tasks"),
            ("surveyanswers", "surveyAnswers", "answers"),
        ] as [(String, String?, String)] {
            let responses = sent.current[path] ?? []
            let line = try #require(
                lines.first { $0.service == (list == "results" || path == "profile" ? "exist" : "mydatahelps") })
            guard let list else {
                #expect(responses.count == 1 && missing(responses[0], in: line.json[name], at: name) == [])
                continue
            }
            // The response for each month repeats the attributes, so only the first response is compared.
            let items = responses.prefix(name == "attributes" ? 1 : .max).flatMap { $0.object?[list]?.array ?? [] }
            let own = line.list(name)
            #expect(items.count == own.count && !items.isEmpty, "\(name): \(own.count) of \(items.count)")
            for (index, item) in items.enumerated() where index < own.count {
                let id = item.object?["id"]?.string
                let found = id == nil ? own[index] : own.first { $0["id"] as? String == id }
                #expect(missing(item, in: found, at: name) == [], "\(name) \(index)")
            }
        }
    }

    @Test("If new items shift a list's pages, an item that the service sends on two pages is in the line once")
    func shifted() async throws {
        let (participants, now) = (sandboxes.participants, TestClock.noon - 86_400)
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
            // New items come first in a list, and move older items to the next page.
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

}
