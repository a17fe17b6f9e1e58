import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("The everyday commands", .serialized)
final class EverydayCommandTests: ToolSuite {
    init() throws { try super.init() }

    private static let reading = [
        ["attributes"], ["attributes", "steps", "--days", "3"], ["insights"], ["averages"], ["correlations"],
        ["profile"], ["profile", "--mydatahelps"], ["surveys"], ["surveys", "--answers"], ["device-data"],
        ["notifications"], ["accounts"], ["status"],
    ]

    private func objects(_ text: String) throws -> [[String: Any]] {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
    }

    /// Runs a command with `--json`, and returns the objects that it prints.
    private func facts(_ words: String...) async throws -> [[String: Any]] {
        try objects(await run(words + ["--json"]).output)
    }

    private func screen(_ arguments: [String], width: Int) async throws -> String {
        let environment = sandboxes.ownEnvironment.adding(["NO_COLOR": "1"])
        return try await ToolTerminal.run(arguments, environment, width: width).screen
    }

    /// Returns the output of a command. Checks that the command sends only requests that read, and that it doesn't show a
    /// token.
    private func output(_ words: [String]) async throws -> String {
        let run = try await run(words)
        for token in [sandboxes.exist.token, sandboxes.participants.token] {
            #expect(!(run.output + run.errors).contains(token))
        }
        #expect(!sandboxes.server.requests.isEmpty && sandboxes.server.requests.allSatisfy { $0.method == "GET" })
        return run.output
    }

    /// The commands whose output is the same in each run. `status` isn't one of them, because it prints how many
    /// requests remain.
    private static let repeatable = reading.filter { $0 != ["status"] }

    @Test(
        "Reading commands change nothing, and print the same data as JSON, JSON lines, CSV, and tab-separated text",
        arguments: repeatable)
    func forms(arguments: [String]) async throws {
        let facts = try objects(await output(arguments + ["--json"]))
        #expect(!facts.isEmpty)
        let lines = try await output(arguments + ["--jsonl"]).split(separator: "\n")
        #expect(try lines.map { try objects("[\($0)]")[0] as NSDictionary } == facts.map { $0 as NSDictionary })
        let csv = try #require(CSVText.rows(try await output(arguments + ["--csv"])))
        #expect(csv.count == facts.count + 1)
        let tabs = try await output(arguments).split(separator: "\n").map { $0.components(separatedBy: "\t") }
        #expect(tabs.count == csv.count && tabs[0] == csv[0] && Set(tabs.map(\.count)) == [csv[0].count])
        for (row, fact) in zip(csv.dropFirst(), facts) {
            for (key, cell) in zip(csv[0], row) {
                let text = CSVText.text(ofField: cell)
                switch fact[key] {
                case nil: #expect(text.isEmpty)
                case let words as String: #expect(text == words)
                case let choices as [String]: #expect(text == choices.joined(separator: ", "))
                case let number as NSNumber:
                    let isNear = Double(text).map { abs($0 - number.doubleValue) < 1e-9 }
                    #expect(isNear ?? (text == "\(number == true)"), "\(key): \(text) is not \(number)")
                default: Issue.record("\(key) is neither text nor number")
                }
            }
        }
    }

    @Test(
        "In a terminal, commands print tables that fit the width, and truncate nothing", arguments: reading, [40, 140])
    func tables(arguments: [String], width: Int) async throws {
        let screen = try await screen(arguments, width: width)
        #expect(!screen.isEmpty && !screen.contains("…") && !screen.contains("\t"))
        if arguments == ["averages"] { #expect(screen.contains("Overall: ") == (width < 80)) }
        if arguments == ["device-data"] { #expect(screen.contains(#/Steps +\d?\d,\d\d\d\n/#)) }
        #expect(screen.split(separator: "\n").allSatisfy { String($0).columns <= min(width, 120) })
    }

    @Test("`attributes` also lists days without a value; in every format, a value of an unknown type is shown as JSON")
    func everyDay() async throws {
        let days = try await facts("attributes", "mood", "--days", "30")
        #expect(days.count == 30 && days.allSatisfy { $0["day"] is String } && days.contains { $0["value"] == nil })

        let area: ServerJSON = [
            "group": ["name": "places", "label": "Places", "priority": 4], "template": nil, "name": "area",
            "label": "Area", "priority": 1, "manual": false, "active": true, "value_type": 99,
            "values": [["date": .string(days[0]["day"] as? String ?? ""), "value": ["lat": 1.5, "lon": 2]]],
        ]
        sandboxes.server.script.next(
            .max, matching: "GET /api/2/attributes/with-values/",
            respond: .json(["count": 1, "next": nil, "previous": nil, "results": [area]]))
        #expect(try await facts("attributes", "area").first?["value"] as? String == #"{"lat":1.5,"lon":2}"#)
        for arguments in [["attributes"], ["attributes", "--csv"], ["report"]] {
            #expect(try await run(arguments).output.replacing(#""""#, with: #"""#).contains(#"{"lat":1.5,"lon":2}"#))
        }
    }

    @Test("Attributes are found by their labels; for an unknown attribute or type, a similar name is suggested")
    func names() async throws {
        #expect(AttributeFinder.fold("Cafe\u{301}") == AttributeFinder.fold("caf\u{E9}"))
        #expect(try await facts("attributes", "time asleep").map { $0["attribute"] as? String } == ["sleep"])
        #expect(try await run("attributes stepz", exits: 1, saying: "Did you mean “steps”?").output.isEmpty)
        let types = try await run(
            "device-data Stpes RestingHeartRate --json",
            saying: "no device data of type “Stpes” for these days. Did you mean “Steps”?")
        #expect(try !types.errors.contains("Resting") && !objects(types.output).isEmpty)
    }

    private func point(_ id: String, observed: String? = nil, started: String? = nil) -> ServerJSON {
        [
            "id": .string(id), "namespace": "Project", "type": "Walk", "value": "1",
            "insertedDate": "2026-11-20T10:00:00Z", "modifiedDate": "2026-11-20T10:00:00Z",
            "observationDate": observed.map { .string($0) } ?? .null, "startDate": started.map { .string($0) } ?? .null,
        ]
    }

    @Test("`surveys --answers` lists the choices of an answer separately, and names the answer's submission")
    func choices() async throws {
        sandboxes.participants.putAnswer(9000, result: 7, ["tea, black", "milk"], inserted: TestClock.noon)
        let answer = try #require(await facts("surveys", "--answers").first)
        #expect(answer["answers"] as? [String] == ["tea, black", "milk"])
        #expect((answer["submission"] as? String)?.isEmpty == false)
        #expect(["submitted": "Z", "at": "+01:00"].allSatisfy { (answer[$0] as? String)?.hasSuffix($1) == true })
    }

    @Test("`device-data` lists the newest data point first; a point without a UTC offset is listed last and reported")
    func order() async throws {
        sandboxes.server.script.next(
            .max, matching: "/api/v1/delegated/devicedata",
            respond: .json([
                "deviceDataPoints": [
                    point("first", observed: "2026-11-20T08:00:00Z", started: "2026-11-20T07:00:00Z"),
                    point("local", observed: "2026-11-20T08:00:00"),
                    point("last", observed: nil, started: "2026-11-20T23:30:00-05:00"),
                ], "nextPageID": nil,
            ]))
        let run = try await run("device-data Walk --json", saying: "observationDate is not of the expected form")
        let rows = try objects(run.output)
        let ids = rows.compactMap { $0["id"] as? String }
        #expect(Set(ids) == ["first", "last", "local"] && ids.first == "last" && ids.last == "local")
        #expect(rows.first?["at"] as? String == "2026-11-20T23:30:00-05:00" && rows.last?["at"] == nil)
    }

    @Test("A command ends an endless list at its limit of requests, and names the variable that raises the limit")
    func budget() async throws {
        sandboxes.server.script.next(.max, matching: "GET /api/v1/delegated/surveyanswers") { request in
            let page = (request.queryValue("pageID").flatMap { Int($0) } ?? 0) + 1
            return .json(["surveyAnswers": [], "nextPageID": .string("\(page)")])
        }
        let run = try await run(
            "surveys --answers", with: ["PLEDGE_MAX_REQUESTS": "3"], exits: 1,
            saying: "budget of 3 requests is used up, after 3 requests with 0 items")
        #expect(run.output.isEmpty && run.errors.hasSuffix("allow more with PLEDGE_MAX_REQUESTS.\n"), "\(run.errors)")
    }

    @Test(
        "A long list that is printed in pieces has every item once and only one header",
        arguments: ["--json", "--jsonl", "--csv"])
    func pieces(form: String) async throws {
        let count = 9_500
        let points = (0..<count).map { point("\($0)") }
        let counter = Counter()
        sandboxes.server.script.next(.max, matching: "GET /api/v1/delegated/devicedata") { _ in
            .json(["deviceDataPoints": counter.next() == 1 ? .array(points) : [], "nextPageID": nil])
        }
        let run = try await run(["device-data", form])
        let lines = run.output.split(whereSeparator: \.isNewline)
        switch form {
        case "--json":
            let ids = try objects(run.output).compactMap { $0["id"] as? String }
            #expect(ids.count == count && Set(ids).count == count, "\(run.errors)")
        case "--jsonl": #expect(lines.count == count && lines.allSatisfy { $0.hasPrefix("{") })
        default: #expect(lines.count == count + 1 && lines.filter { $0.hasPrefix("at,") }.count == 1)
        }
    }

    @Test("A refused token or an unreachable service leads to one line of explanation, which doesn't show the token")
    func refused() async throws {
        let wrong = ["EXIST_TOKEN": "s3cr3t", "MYDATAHELPS_TOKEN": "s3cr3t"]
        let own = "Check EXIST_TOKEN: it may have expired. A token created with a password needs EXIST_TOKEN_KIND="
        let participant = "Set MYDATAHELPS_TOKEN to a new token: tokens expire after a few hours.\n"
        let commands = [
            ("profile", own), ("report", own), ("surveys", participant), ("report --mydatahelps", participant),
        ]
        func check(_ command: String, _ environment: [String: String], _ words: String...) async throws {
            let run = try await run(command, with: environment, exits: 1)
            #expect(run.output.isEmpty && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            #expect(words.allSatisfy(run.errors.contains) && !run.errors.contains("s3cr3t"), "\(run.errors)")
        }
        for (command, advice) in commands { try await check(command, wrong, "the service answered 401", advice) }
        try await run(
            "set mood=3", with: ["EXIST_TOKEN": sandboxes.exist.simpleToken, "EXIST_TOKEN_KIND": "simple"], exits: 1,
            saying: "Set EXIST_TOKEN to a token that has this permission.")
        // Nothing listens at port 1, and no other test's server can get that port.
        let nowhere = ["EXIST_BASE_URL": "http://127.0.0.1:1/", "MYDATAHELPS_BASE_URL": "http://127.0.0.1:1/"]
        for (command, _) in commands { try await check(command, wrong.adding(nowhere), "no connection could be made") }
    }

    @Test("If a web page comes instead of the service's response, the error doesn't blame the token")
    func challenge() async throws {
        sandboxes.server.script.next(1) { _ in
            var page = ServerResponse.text("<html>Are you a robot?</html>", status: 403)
            page.headers["Content-Type"] = "text/html"
            return page
        }
        let run = try await run("profile", exits: 1, saying: "403", "A web page came instead of the service's response")
        #expect(!run.errors.contains("permission"))
    }

    @Test("`set` stores values and tags for a day, and prints the stored values")
    func set() async throws {
        let words = ["mood=8", "tag: Tea ceremony", "sleep=7h30m", "sleep_start=23:10", "--on", "2026-01-02"]
        let run = try await run(["set", "--json", "--take-over"] + words, saying: "Created the tag “Tea ceremony”.")
        let values = try objects(run.output).reduce(into: [String: NSNumber]()) {
            $0[$1["attribute"] as? String ?? ""] = $1["value"] as? NSNumber
        }
        // A bedtime is printed as minutes from the midnight before, so that a bedtime after midnight sorts last.
        #expect(values["mood"] == 8 && values["sleep"] == 450 && values["sleep_start"] == 1390)
        #expect(values.values.contains(true) && values.count == 4)
        let sent = sandboxes.server.requests.last { $0.path.hasSuffix("update/") }?.json?.array ?? []
        #expect(sent.allSatisfy { $0.object?["date"]?.string == "2026-01-02" })
        #expect(sent.contains { $0.object?["name"]?.string == "sleep_start" && $0.object?["value"]?.integer == 670 })
    }

    @Test("`set` can create a tag that has a template's name; `set` and `increment` take values in the user's units")
    func units() async throws {
        try await run("set tag:movies_min gaming_min=5", saying: "Created the tag “movies_min”.")
        let acquired = sandboxes.server.requests.filter { $0.path.hasSuffix("/acquire/") }
        #expect(acquired.map { String(decoding: $0.body, as: UTF8.self) } == [#"[{"template":"gaming_min"}]"#])
        weighInPounds()
        let set = try await run("set weight=160 --take-over")
        let weight = sandboxes.server.requests.last { $0.path.hasSuffix("update/") }?.json?.array?.first
        #expect(abs((weight?.object?["value"]?.double ?? 0) - 72.5748) < 0.001)
        #expect(set.output.contains("\t160\tlb") || set.output.contains("\t160.0"))
        try await run("increment water=8")
        let water = sandboxes.server.requests.last { $0.path.hasSuffix("increment/") }?.json?.array?.first
        #expect(water?.object?["value"]?.integer == 237)
    }

    /// Lets the service answer the next write to this path with this JSON.
    private func answer(_ path: String, _ json: ServerJSON) {
        sandboxes.server.script.next(matching: "POST /api/2/attributes/\(path)/", respond: .json(json, status: 202))
    }

    private func failed(_ name: ServerJSON, _ code: ServerJSON, _ reason: ServerJSON) -> ServerJSON {
        [["name": name, "error_code": code, "error": reason]]
    }

    @Test("If the response refuses a value or doesn't mention it, the command names the value and exits with code 1")
    func unstored() async throws {
        let refused = failed("mood", "validation", "Not today.")
        for (path, command, response, words) in [
            ("update", "set mood=7", ["success": [], "failed": refused], "Not stored: mood. Exist says: Not today."),
            ("update", "set mood=7", ["success": [], "failed": []], "May or may not be stored: mood."),
            ("update", "set mood=7", ["success": []], "May or may not be stored: mood."),
            ("release", "release mood", ["success": [], "failed": []], "May or may not be released: mood."),
            ("release", "release mood", ["success": []], "May or may not be released: mood."),
        ] as [(String, String, ServerJSON, String)] {
            answer(path, response)
            try await run(command, exits: 1, saying: words)
        }
    }

    @Test("If a value is invalid or an attribute is given twice, nothing is written")
    func nonsense() async throws {
        for (words, meaning) in [
            (["set", "mood=11"], "from 1 to 9"), (["set", "sleep=long"], "7h30m"), (["set", "mood="], "has no value"),
            (["set", "sleep_start=25:00"], "22:55"), (["set", "mood"], "has no value: write mood=7"),
            (["set", "steps=many"], "a number"), (["set", "=7"], "has no attribute name"),
            (["set", "sleep=7h70m"], "7h30m"), (["set", "sleep=-30"], "minutes"),
            (["set", "body_fat=20"], "a fraction such as 0.2, or 20%"),
            (["set", "tag: coffee=no"], "clear it with “coffee=no”"), (["set", ""], "is a variable unset?"),
            (["increment", "coffees"], "write coffees=1."), (["increment", "mood=1"], "use “pledge set”"),
            (["set", "mood=7", "Mood=8"], "is given twice"), (["set", "tag: chai", "tag: Chai"], "is given twice"),
        ] { try await run(words, exits: 64, saying: meaning) }
        #expect(sandboxes.server.requests.allSatisfy { $0.method == "GET" })
    }

    @Test(
        "After an error, the command prints the values that are stored and names the values that may have been stored",
        arguments: ["set", "increment"])
    func doneBeforeAnError(command: String) async throws {
        try await run([command, "water=1", "--json"])
        // The first request stores `water` and refuses `coffees`. The tool then acquires `coffees` and sends it again,
        // which fails.
        let path = command == "set" ? "update" : "increment"
        let stored: ServerJSON = [["name": "water", "value": 250, "current": 251]]
        answer(path, ["success": stored, "failed": failed("coffees", "unauthorised", "Not yours.")])
        sandboxes.server.script.next(.max, matching: "POST /api/2/attributes/\(path)/", respond: .empty(500))
        let words = [command, "water=250", "coffees=2", "--json"]
        let run = try await run(words, exits: 1, saying: "May or may not be stored: coffees.", "500")
        #expect(try objects(run.output).map { $0["attribute"] as? String } == ["water"], "\(run.output)")
    }

    @Test(
        "An attribute is taken over from a device or an app only with --take-over, and can be released again",
        arguments: ["set", "increment"])
    func takingOver(command: String) async throws {
        let existAPI = ExistAPI(token: sandboxes.exist.token, timeout: 600, baseURL: sandboxes.server.baseURL)
        let filler = { try await existAPI.attributes(names: ["steps"]).value.attributes.first?.service }
        let before = try #require(try await filler())
        try await run(
            [command, "steps=7"], exits: 1,
            saying: "Not stored: steps. Withings provides it; use --take-over to acquire it")
        answer("acquire", ["success": [], "failed": failed("steps", "unauthorised", "No.")])
        try await run(
            [command, "steps=7", "--take-over"], exits: 1,
            saying: "Not stored: steps. Exist says: Attribute 'steps' does not")
        #expect(try await filler() == before)
        #expect(try await facts(command, "steps=7", "--take-over").count == 1)
        #expect(try await filler() != before)
        #expect(try await facts("release", "Steps").map { $0["attribute"] as? String } == ["steps"])
        try await run("release steps", exits: 1)
    }
}
