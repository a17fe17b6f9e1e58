import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
import PledgeHTTP
import PledgeServer
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// A transport that lets a closure change each response.
private struct ChangingTransport: HTTPTransport {
    let change: @Sendable (inout RawResponse, _ path: String) -> Void

    func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        StandardTransport().send(request).map(on: nil) { response in
            var response = response
            change(&response, URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.path ?? "")
            return response
        }
    }
}

extension JSONValue {
    /// Returns a copy in which `change` has replaced the value at a path, or removed it by returning nil. In the path,
    /// `[]` stands for every item of a list.
    fileprivate func editing(_ path: ArraySlice<Substring>, _ change: (JSONValue) -> JSONValue?) -> JSONValue? {
        guard let step = path.first else { return change(self) }
        switch self {
        case .array(let items): return .array(items.compactMap { $0.editing(path.dropFirst(), change) })
        case .object(var members):
            guard let value = members[String(step)] else { return self }
            members[String(step)] = value.editing(path.dropFirst(), change)
            return .object(members)
        default: return self
        }
    }

    /// Returns a copy in which other members replace the member at a path. A new member whose value is nil gets the
    /// value of the replaced member.
    fileprivate func replacing(_ path: [Substring], by others: [String: JSONValue?]) -> JSONValue? {
        editing(path.dropLast()) { parent in
            guard case .object(var members) = parent, let old = members.removeValue(forKey: "\(path[path.count - 1])")
            else { return parent }
            for (name, value) in others { members[name] = value ?? old }
            return .object(members)
        }
    }
}

extension RawResponse {
    fileprivate mutating func rewrite(_ change: (JSONValue) -> JSONValue?) {
        guard let json = try? JSONDecoder().decode(JSONValue.self, from: body) else { return }
        body = (try? JSONEncoder().encode(change(json))) ?? body
    }
}

@Suite("`pledge check`")
final class CheckCommandTests: ToolSuite {
    init() throws { try super.init() }

    /// Asks both services through a transport, without running the tool, and returns their answers.
    private func answers(_ transport: any HTTPTransport = StandardTransport()) -> [Answer] {
        func options(_ options: EndpointClient.Options, _ inquiry: Inquiry) -> EndpointClient.Options {
            options.with { options in
                options.transport = transport
                options.timeout = 3600
                options.retry = .never
                inquiry.adapt(&options)
            }
        }
        let (one, other) = (Inquiry(.live), Inquiry(.live))
        one.ask(
            ExistAPI(
                token: sandboxes.exist.token, baseURL: sandboxes.server.baseURL,
                options: options(ExistAPI.defaultOptions, one)))
        let client = MyDataHelpsClient(
            baseURL: sandboxes.server.baseURL, options: options(MyDataHelpsClient.defaultOptions, other))
        other.ask(
            ParticipantSession(
                client: client, accessToken: ParticipantAccessToken(token: sandboxes.participants.token)))
        return one.answers + other.answers
    }

    private func findings(
        _ sandbox: [Answer], _ change: @escaping @Sendable (inout RawResponse, String) -> Void
    ) -> [String] {
        let check = Check(service: "both", answers: answers(ChangingTransport(change: change)), sandbox: sandbox)
        return check.results.flatMap { result in
            result.differences.map { "\($0.isLawful ? "lawful " : "")\(result.answer.name): \($0)" }
        }
    }

    @Test("A check of the sandbox finds no difference, sends at most 20 requests to each service, and only reads")
    func sandbox() async throws {
        let run = try await run("check")
        #expect(run.output.split(separator: "\n").count { $0.hasPrefix("✓") } == 29, "\(run.output)")
        let requests = sandboxes.server.requests
        #expect(requests.allSatisfy { $0.method == "GET" } && requests.count <= 40)
        #expect(requests.count { $0.path.hasPrefix("/api/2/") } <= 20)
        let demo = try await Tool.run("check --demo --writes --yes")
        #expect(demo.output.split(separator: "\n").count { $0.hasPrefix("✓") } == 34, "\(demo.output)")
    }

    @Test("If the service doesn't release the check's tag, the check says how to release it")
    func unreleased() async throws {
        sandboxes.server.script.next(
            .max, matching: "POST /api/2/attributes/release/",
            respond: .json(
                [
                    "success": [],
                    "failed": [["name": "pledge_check", "error": "No.", "error_code": "unauthorised"]],
                ], status: 202))
        let run = try await self.run("check --writes --yes", exits: 4)
        let text = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("could not be released: run “pledge release pledge_check”."), "\(run.errors)")
    }

    /// Fields of responses, each with the path of the request, the name of the answer, and the field's position in the
    /// response.
    private static let fields: [(path: String, answer: String, field: String)] = [
        ("/api/2/accounts/profile/", "profile", "timezone"), ("/api/2/accounts/profile/", "profile", "imperial_weight"),
        ("/api/2/attributes/", "attributes", "results.[].label"),
        ("/api/2/attributes/", "attributes", "results.[].group.label"),
        ("/api/2/attributes/with-values/", "values of a week", "results.[].values.[].date"),
        ("/api/2/insights/", "insights", "results.[].text"), ("/api/2/averages/", "averages", "results.[].overall"),
        ("/api/2/correlations/", "correlations", "results.[].second_person"),
        ("/api/v1/delegated/participant", "participant", "demographics.city"),
        ("/api/v1/delegated/project", "project", "organization.name"),
        ("/api/v1/delegated/devicedata", "device data of namespace 1", "deviceDataPoints.[].units"),
        ("/api/v1/delegated/surveyanswers", "survey answers", "surveyAnswers.[].stepIdentifier"),
        ("/api/v1/delegated/externalaccounts", "external accounts", "[].provider.name"),
    ]

    @Test(
        "A check names every field that a service renames, adds, leaves out, or sends as another type",
        arguments: ["rename", "add", "drop", "type"])
    func fields(kind: String) throws {
        let found = findings(answers()) { response, requested in
            for (path, _, field) in Self.fields where path == requested {
                let steps = field.split(separator: ".")
                response.rewrite { json in
                    switch kind {
                    case "rename": json.replacing(steps, by: ["other_\(steps[steps.count - 1])": nil])
                    case "add": json.replacing(steps, by: ["\(steps[steps.count - 1])": nil, "other": .string("new")])
                    case "drop": json.replacing(steps, by: [:])
                    default: json.replacing(steps, by: ["\(steps[steps.count - 1])": .array([.integer(1)])])
                    }
                }
            }
        }
        for (_, answer, field) in Self.fields {
            let steps = field.split(separator: ".")
            let place = (kind == "add" ? steps.dropLast() + ["other"] : steps[...]).joined(separator: ".")
                .replacingOccurrences(of: ".[]", with: "[]")
            let words = "\(answer): \(place) "
            // The report says “lawful” about a missing field that the model doesn't need.
            let isFound = found.contains { $0.hasPrefix(words) || $0.hasPrefix("lawful \(words)is missing") }
            #expect(isFound, "\(place): \(found)")
        }
        // The models need these fields. So if one is missing, the report must not say “lawful”.
        let needed = ["profile: imperial_weight", "attributes: results[].label", "project: organization.name"]
        #expect(kind == "add" || needed.allSatisfy { words in found.contains { $0.hasPrefix(words) } })
        // The device data of all namespaces has the same path, so namespace 2 is changed as well.
        let answers = Self.fields.map { $0.answer } + ["device data of namespace 2"]
        #expect(found.allSatisfy { line in answers.contains { line.contains("\($0): ") } }, "\(found)")
    }

    @Test("A check reports a status, link, page size, rate limit, or spelling that differs from the sandbox's")
    func exchanges() throws {
        let base = sandboxes.server.baseURL.absoluteString
        @Sendable func edit(
            _ path: String, _ change: @escaping @Sendable (JSONValue) -> JSONValue?
        ) -> @Sendable (inout RawResponse) -> Void {
            { response in response.rewrite { $0.editing(path.split(separator: ".")[...], change) } }
        }
        @Sendable func resize(
            _ change: @escaping @Sendable ([JSONValue]) -> [JSONValue]
        ) -> @Sendable (inout RawResponse) -> Void {
            edit("results") { list in if case .array(let items) = list { .array(change(items)) } else { list } }
        }
        // Each row has three changes: one for each of the lists `templates`, `insights`, and `averages`, in this order.
        let rows: [[(words: String, change: @Sendable (inout RawResponse) -> Void)]] = [
            [
                ("the status is 201, but 200 in the sandbox", { $0.status = 201 }),
                ("the status is 404, but 200 in the sandbox", { $0.status = 404 }),
                ("the response cannot be read", { $0.body = Data("<html>".utf8) }),
            ],
            [
                ("next leads to another path", edit("next") { _ in .string("\(base)api/3/list/?page=2&limit=20") }),
                (
                    "next leads to another server",
                    edit("next") { _ in .string("http://other.example/?page=2&limit=20") }
                ),
                ("next has no page 2 in its query", edit("next") { _ in .string("\(base)api/2/averages/?page=7") }),
            ],
            [
                ("next is a number, but a text was expected", edit("next") { _ in .integer(2) }),
                ("a page before the last has 10 items, but 20 were requested", resize { Array($0.prefix(10)) }),
                ("a page has 40 items, but 20 were requested", resize { $0 + $0 }),
            ],
        ]
        let (sandbox, lists) = (answers(), ["templates", "insights", "averages"])
        for row in rows {
            let found = findings(sandbox) { response, path in
                if let index = lists.firstIndex(where: { path.hasSuffix("/\($0)/") }) { row[index].change(&response) }
            }
            for (list, (words, _)) in zip(lists, row) {
                #expect(found.contains { $0.hasPrefix("\(list): \(words)") }, "\(words): \(found)")
            }
        }
        let found = findings(sandbox) { response, path in
            var headers = HeaderFields()
            for field in response.headers.fields where !field.name.lowercased().contains("ratelimit") {
                headers[field.name] = field.value
            }
            response.headers = headers
            guard path == "/api/v1/delegated/surveytasks" else { return }
            edit("surveyTasks.[].status") { word in
                if case .string(let text) = word { .string(text.uppercased()) } else { word }
            }(&response)
        }
        #expect(found.contains { $0.contains("no limit is announced") }, "\(found)")
        #expect(found.contains { $0.contains("SurveyTaskStatus is spelled differently") }, "\(found)")
    }

    @Test("A check accepts that optional members are missing or null, and that items are in another order")
    func lawful() throws {
        sandboxes.participants.rateLimit = 1_000_000
        let shapes = Locked<[String: JSONShape]>([:])
        _ = answers(
            ChangingTransport { response, path in
                guard let json = try? JSONDecoder().decode(JSONValue.self, from: response.body) else { return }
                shapes.withLock { $0[path, default: JSONShape()].add(json, []) }
            })
        let sandbox = answers()
        Fuzzing.run(cases: 4, "lawful services") { seed, generator in
            let chance = Locked(generator)
            let found = findings(sandbox) { response, path in
                guard let shape = shapes.withLock({ $0[path] }) else { return }
                response.rewrite { json in chance.withLock { Self.vary(json, shape, &$0) } }
            }
            #expect(found.filter { !$0.hasPrefix("lawful ") } == [], "seed \(seed)")
        }
    }

    /// Whole responses that the services document or that someone has published, by the path of the request.
    private static let samples = [
        "/api/2/accounts/profile/": [
            "ExistKitTests/Fixtures/profile_200", "ExistKitTests/Fixtures/profile_sparse_200",
        ],
        "/api/2/attributes/": ["ExistKitTests/Fixtures/attributes_empty_page_200"],
        "/api/2/attributes/owned/": ["ExistKitTests/Fixtures/attributes_owned_200"],
        "/api/v1/delegated/participant": ["MyDataHelpsKitTests/Fixtures/participant_minimal_200"],
        "/api/v1/delegated/project": ["MyDataHelpsKitTests/Fixtures/project_sparse_200"],
        "/api/v1/delegated/devicedata": ["MyDataHelpsKitTests/Fixtures/devicedata_empty_200"],
        "/api/v1/delegated/datacollectionsettings": [
            "MyDataHelpsKitTests/Fixtures/datacollectionsettings_200",
            "MyDataHelpsKitTests/Fixtures/datacollectionsettings_newer_200",
        ],
    ]

    @Test("A check accepts responses that the services document or that someone has published", arguments: [0, 1])
    func samples(number: Int) throws {
        let bodies = try Self.samples.mapValues { names in
            Data(try Repository.text("Tests/\(names[number % names.count]).json").utf8)
        }
        let found = findings(answers()) { response, path in response.body = bodies[path] ?? response.body }
        // The second sample of the profile has a field that the documented API doesn't have.
        let expected = number == 0 ? [] : ["profile: a_field_added_later is an object, and pledge ignores it"]
        #expect(found.filter { !$0.hasPrefix("lawful ") } == expected)
    }

    /// Returns a copy of JSON in which the items of every list are shuffled. Some members are left out or set to null
    /// at random, but only members that the shape allows to be missing or null.
    private static func vary(_ json: JSONValue, _ shape: JSONShape, _ generator: inout SeededGenerator) -> JSONValue {
        switch json {
        case .object(let members):
            // The shape may be that of another correlation, whose rating is null. Then it says nothing about a rating.
            guard shape.objects > 0 else { return json }
            var kept: [String: JSONValue] = [:]
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                guard let member = shape.members[name] else { continue }
                let chance = Int.random(in: 0..<5, using: &generator)
                if chance == 0, member.count < shape.objects { continue }
                let isList = name == "next" || name == "previous"
                kept[name] =
                    chance == 1 && !isList && member.shape.kinds.contains(.null)
                    ? .null : vary(value, member.shape, &generator)
            }
            return .object(kept)
        case .array(let items):
            guard let shape = shape.items.first else { return json }
            return .array(items.map { vary($0, shape, &generator) }.shuffled(using: &generator))
        default: return json
        }
    }

    @Test(
        "A check's report has no values of the account, even unreadable ones, and no JSON names that are personal data")
    func markers() async throws {
        for isAll in [true, false] {
            sandboxes.server.script.reset()
            let counter = Counter()
            sandboxes.rewrite { _, json in Self.marked(json) { isAll || counter.next().isMultiple(of: 3) } }
            let file = folder.path("check.json")
            let run = try await ToolRun(["check", "--report", file], sandboxes.ownEnvironment).end(4)
            let report = folder.text("check.json")
            #expect(run.errors.contains("Wrote"), "\(run.errors)")
            #expect(report.contains("differences") && report.contains("milliseconds"))
            #expect(!report.lowercased().contains("marker") && !report.contains("98765"), "\(report)")
            #expect(!report.contains(sandboxes.exist.token) && !report.contains(sandboxes.participants.token))
        }
    }

    private static func marked(_ json: ServerJSON, _ changes: () -> Bool, isDictionary: Bool = false) -> ServerJSON {
        switch json {
        case .object(let members):
            var copy: [String: ServerJSON] = [:]
            for (name, value) in members {
                let isData = isDictionary || ["customFields", "properties"].contains(name)
                copy[isDictionary ? "Marker \(name)" : name] = marked(value, changes, isDictionary: isData)
            }
            // The added members have names that are personal data. No service is known to send such names in these
            // objects.
            if changes() {
                copy["2026-01-02 marker"] = 1
                copy["texts"] = ["Marker": ["marker": ["Dr Marker"]]]
            }
            return .object(copy)
        case .array(let items): return .array(items.map { marked($0, changes) })
        case .string(let text) where !text.isEmpty && changes(): return .string("Marker of \(text)")
        case .integer where changes(): return .integer(98_765)
        default: return json
        }
    }

    @Test("Names of members that aren't valid text don't end a check")
    func invalidNames() throws {
        let found = findings(answers()) { response, path in
            if path == "/api/2/insights/" { response.body = Data(#"{"\uDEB4":1,"results":[]}"#.utf8) }
        }
        #expect(found.contains { $0.hasPrefix("insights: (a name that is not shown) is a number") }, "\(found)")
    }

    @Test(
        "A check with a service account's key reads what the service account may read",
        arguments: ["--key", "--key-env"])
    func serviceAccount(option: String) async throws {
        let words = ["openssl", "genpkey", "-algorithm", "RSA"]
        let openssl = try #require(TokenCommand(words, [:], seconds: 600))
        let key = String(decoding: try openssl.output(of: Data()), as: UTF8.self)
        let place = option == "--key" ? try folder.file("key.pem", holding: key).path : "STUDY_KEY"
        let run = try await run(
            [
                "check", "--service-account", sandboxes.participants.serviceAccount, "--project",
                sandboxes.participants.projectID, option, place,
            ], with: ["STUDY_KEY": key])
        #expect(run.output.hasPrefix("MyDataHelps, as a service account\n✓ participants (200, 20 items, "))
        #expect(run.output.contains("✓ types of device data V2") && run.output.hasSuffix("\nNothing differs.\n\n"))
    }

    @Test("A check names what it could not read and exits with code 1; it writes to an account only with --yes")
    func refused() async throws {
        let refused = try await run("check", with: ["EXIST_TOKEN": "other"], exits: 1)
        #expect(
            refused.output.contains("? profile (401, ")
                && refused.output.contains("Nothing differs in the responses that came."))
        for status in [403, 503] {
            sandboxes.server.script.reset()
            sandboxes.server.script.next(.max, matching: "/api/2/insights/", respond: .json([:], status: status))
            let passing = try await run("check", exits: 1)
            #expect(passing.output.contains("? insights (\(status), ") && passing.output.contains("✓ averages"))
        }
        sandboxes.server.script.reset()
        let none = sandboxes.server.requests.count
        try await run("check --writes", exits: 64, saying: "add --yes if you want that")
        try await run("check --yes", exits: 64, saying: "--yes requires --writes.")
        try await run("check --key a --writes", exits: 64, saying: "--writes applies only to your own accounts")
        try await run("check --project a", exits: 64, saying: "needs --service-account, --project, and --key")
        #expect(sandboxes.server.requests.count == none)
        try await Tool.run("check", exits: 64, saying: "There is no account: set EXIST_TOKEN")
    }
}
