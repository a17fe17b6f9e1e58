import ExistKit
import Foundation
import PledgeCoding
import PledgeSandbox
import Testing

@testable import PledgeCommand

@Suite("The everyday commands", .serialized)
struct EverydayCommandTests {
    let sandboxes: BothSandboxes
    let environment: [String: String]

    init() throws {
        // Two runs can be compared only while today's values stand still.
        let now = Date()
        sandboxes = try BothSandboxes { now }
        environment = sandboxes.ownEnvironment
    }

    private static let reading = [
        ["attributes"], ["attributes", "steps", "--days", "3"], ["insights"], ["averages"], ["correlations"],
        ["profile"],
        ["profile", "--mydatahelps"], ["surveys"], ["surveys", "--answers"], ["device-data"], ["notifications"],
        ["accounts"], ["status"],
    ]

    private func objects(_ text: String) throws -> [[String: Any]] {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
    }

    /// Without the one whose numbers of remaining requests are others after each run.
    private static let repeatable = reading.filter { $0 != ["status"] }

    @Test("show the same facts as JSON, as JSON lines, as CSV, and with tabs", arguments: repeatable)
    func forms(arguments: [String]) async throws {
        let json = try await Tool.run(arguments + ["--json"], environment)
        #expect(json.status == 0, "\(json.errors)")
        let facts = try objects(json.output)
        #expect(!facts.isEmpty)

        let lines = try await Tool.run(arguments + ["--jsonl"], environment).output.split(separator: "\n")
        #expect(try lines.map { try objects("[\($0)]")[0] as NSDictionary } == facts.map { $0 as NSDictionary })

        let csv = try #require(CSVText.rows(try await Tool.run(arguments + ["--csv"], environment).output))
        #expect(csv.count == facts.count + 1)
        let tabs = try await Tool.run(arguments, environment).output.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        #expect(tabs.count == facts.count + 1)
        #expect(Set(tabs.map(\.count)) == [csv[0].count])
        #expect(tabs[0].map(String.init) == csv[0])
        for (row, fact) in zip(csv.dropFirst(), facts) {
            for (key, cell) in zip(csv[0], row) {
                let text = CSVText.text(ofField: cell)
                switch fact[key] {
                case nil: #expect(text.isEmpty)
                case let words as String: #expect(text == words)
                case let number as NSNumber:
                    let isSame =
                        Double(text).map { abs($0 - number.doubleValue) < 1e-9 } ?? (text == "\(number == true)")
                    #expect(isSame, "\(key): \(text) is not \(number)")
                default: Issue.record("\(key) is neither text nor number")
                }
            }
        }
    }

    @Test("print tables in a terminal that fit it and truncate nothing", arguments: reading, [40, 80, 120])
    func tables(arguments: [String], width: Int) async throws {
        let run = try await ToolTerminal.run(arguments, environment.merging(["NO_COLOR": "1"]) { $1 }, width: width)
        #expect(run.status == 0, "\(run.screen)")
        #expect(!run.screen.isEmpty && !run.screen.contains("…") && !run.screen.contains("\t"))
        #expect(run.screen.split(separator: "\n").allSatisfy { String($0).columns <= min(width, 100) })
    }

    @Test("send only requests that read, and show no token, in any format", arguments: reading)
    func readOnly(arguments: [String]) async throws {
        for form in [[], ["--json"], ["--jsonl"], ["--csv"], ["--plain"]] {
            let run = try await Tool.run(arguments + form, environment)
            for token in [sandboxes.exist.token, sandboxes.participants.token] {
                #expect(!(run.output + run.errors).contains(token))
            }
        }
        #expect(!sandboxes.server.requests.isEmpty && sandboxes.server.requests.allSatisfy { $0.method == "GET" })
    }

    @Test("reject two formats at once, and suggest the option that was meant")
    func usage() async throws {
        let both = try await Tool.run(["accounts", "--json", "--csv"], environment)
        let written = try await Tool.run(["set", "mood=3", "--jsonl", "--csv"], environment)
        #expect(written.status == 64 && sandboxes.server.requests.isEmpty)
        let wrong = try await Tool.run(["attributes", "--day", "3"], environment)
        #expect(both.status == 64 && both.errors.contains("omit one"))
        #expect(wrong.status == 64 && wrong.errors.contains("Did you mean “--days”?"))
    }

    @Test("report attributes without averages, and show the unit of minutes", arguments: ["attributes", "averages"])
    func minutes(command: String) async throws {
        let run = try await Tool.run([command, "sleep", "mood_note", "--json"], environment)
        #expect(try objects(run.output).first?["unit"] as? String == "min")
        #expect(run.errors.contains("no averages of mood_note") == (command == "averages"))
    }

    @Test("print columns in a terminal that is wide enough")
    func words() async throws {
        let run = try await ToolTerminal.run(["averages"], environment.merging(["NO_COLOR": "1"]) { $1 }, width: 80)
        #expect(run.screen.contains("Overall") && !run.screen.contains("Overall: "))
    }

    @Test("find an attribute by its label, and suggest the one that was meant")
    func names() async throws {
        let found = try await Tool.run(["attributes", "time asleep", "--json"], environment)
        let near = try await Tool.run(["attributes", "stepz"], environment)
        #expect(try objects(found.output).map { $0["attribute"] as? String } == ["sleep"])
        #expect(near.status == 1 && near.errors.contains("Did you mean “steps”?") && near.output.isEmpty)
    }

    @Test("suggest the type that was meant if nothing of that name was measured")
    func types() async throws {
        let near = try await Tool.run(["device-data", "Stpes", "RestingHeartRate", "--json"], environment)
        #expect(
            near.status == 0
                && near.errors.contains("no device data of type “Stpes” for these days. Did you mean “Steps”?"))
        let shown = try objects(near.output)
        #expect(!near.errors.contains("Resting") && !shown.isEmpty)
    }

    @Test("show measurements in the order of the moments they show")
    func order() async throws {
        func point(_ id: String, observed: String?, started: String?) -> SandboxJSON {
            [
                "id": .string(id), "namespace": "Project", "type": "Walk", "value": "1", "units": "count",
                "properties": [:], "insertedDate": "2026-11-20T10:00:00Z", "modifiedDate": "2026-11-20T10:00:00Z",
                "observationDate": observed.map { .string($0) } ?? .null,
                "startDate": started.map { .string($0) } ?? .null,
            ]
        }
        sandboxes.server.script.next(
            .max, matching: "/api/v1/delegated/devicedata",
            respond: .json([
                "deviceDataPoints": [
                    point("first", observed: "2026-11-20T08:00:00Z", started: "2026-11-20T07:00:00Z"),
                    point("last", observed: nil, started: "2026-11-20T09:00:00Z"),
                ], "nextPageID": nil,
            ]))

        let run = try await Tool.run(["device-data", "Walk", "--json"], environment)

        let ids = try objects(run.output).compactMap { $0["id"] as? String }
        #expect(Set(ids) == ["first", "last"] && ids.first == "last" && ids.last == "first", "\(run.errors)")
    }

    @Test("end a list that never ends when a limit of the command is reached, and name the option that raises it")
    func budget() async throws {
        sandboxes.server.script.next(.max, matching: "GET /api/v1/delegated/surveyanswers") { request in
            let page = (request.queryValue("pageID").flatMap { Int($0) } ?? 0) + 1
            return .json(["surveyAnswers": [], "nextPageID": .string("\(page)")])
        }

        let run = try await Tool.run(["surveys", "--answers", "--max-requests", "3"], environment)

        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains("budget of 3 requests is used up, after 3 requests with 0 items"))
        #expect(run.errors.hasSuffix("allow more with --max-requests.\n"), "\(run.errors)")
    }

    @Test("A long list is printed in pieces that are a whole", arguments: ["--json", "--jsonl", "--csv"])
    func pieces(form: String) async throws {
        let count = 9_500
        let points = (0..<count).map { index -> SandboxJSON in
            [
                "id": .string("\(index)"), "namespace": "Project", "type": "Walk", "value": "1",
                "insertedDate": "2026-11-20T10:00:00Z", "modifiedDate": "2026-11-20T10:00:00Z",
            ]
        }
        sandboxes.server.script.next(
            matching: "GET /api/v1/delegated/devicedata",
            respond: .json(["deviceDataPoints": .array(points), "nextPageID": nil]))
        sandboxes.server.script.next(
            .max, matching: "GET /api/v1/delegated/devicedata",
            respond: .json(["deviceDataPoints": [], "nextPageID": nil]))

        let run = try await Tool.run(["device-data", form], environment)

        let lines = run.output.split(whereSeparator: \.isNewline)
        switch form {
        case "--json":
            let ids = try objects(run.output).compactMap { $0["id"] as? String }
            #expect(ids.count == count && Set(ids).count == count, "\(run.errors)")
        case "--jsonl": #expect(lines.count == count && lines.allSatisfy { $0.hasPrefix("{") })
        default: #expect(lines.count == count + 1 && lines.filter { $0.hasPrefix("at,") }.count == 1)
        }
    }

    @Test("explain what to do about a refused token, in terms of the command line")
    func refused() async throws {
        let wrong = environment.merging(["EXIST_TOKEN": "s3cr3t", "MYDATAHELPS_TOKEN": "s3cr3t"]) { $1 }
        let exist = try await Tool.run(["profile"], wrong)
        #expect(exist.status == 1 && exist.errors.contains("401"))
        #expect(
            exist.errors.hasSuffix(
                "Check EXIST_TOKEN: it may have expired. A token created with a password needs --token-kind simple.\n"))
        let participant = try await Tool.run(["surveys"], wrong)
        #expect(
            participant.errors.hasSuffix("Set MYDATAHELPS_TOKEN to a new token: tokens expire after a few hours.\n"))
        let forbidden = try await Tool.run(
            ["set", "mood=3", "--token-kind", "simple"],
            environment.merging(["EXIST_TOKEN": sandboxes.exist.simpleToken]) { $1 })
        #expect(
            forbidden.status == 1 && forbidden.errors.contains("Set EXIST_TOKEN to a token that has this permission."),
            "\(forbidden.errors)")
    }

    @Test("set values and tags of a day, and show them as they are read back")
    func set() async throws {
        let run = try await Tool.run(
            [
                "set", "mood=8", "tag: Tea ceremony", "sleep=7h30m", "sleep_start=23:10", "--on", "2026-01-02",
                "--json",
                "--take-over",
            ], environment)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("Created the tag “Tea ceremony”."))
        let values = try objects(run.output).reduce(into: [String: NSNumber]()) {
            $0[$1["attribute"] as? String ?? ""] = $1["value"] as? NSNumber
        }
        // A bedtime counts from the midnight before, so that late nights sort last.
        #expect(values["mood"] == 8 && values["sleep"] == 450 && values["sleep_start"] == 1390)
        #expect(values.values.contains(true) && values.count == 4)
        let sent = sandboxes.server.requests.last { $0.path.hasSuffix("update/") }?.json?.array ?? []
        #expect(sent.allSatisfy { $0.object?["date"]?.string == "2026-01-02" })
        #expect(sent.contains { $0.object?["name"]?.string == "sleep_start" && $0.object?["value"]?.integer == 670 })
    }

    @Test("set and increment in the units of the account")
    func units() async throws {
        sandboxes.server.script.next(.max, matching: "GET /api/2/accounts/profile/") { _ in
            .json([
                "username": "maya", "timezone": "UTC", "local_time": .string("\(Timestamp.text(Date()))"),
                "imperial_weight": true, "imperial_liquid": true,
            ])
        }
        let set = try await Tool.run(["set", "weight=160", "--take-over"], environment)
        #expect(set.status == 0, "\(set.errors)")
        let weight = sandboxes.server.requests.last { $0.path.hasSuffix("update/") }?.json?.array?.first
        #expect(abs((weight?.object?["value"]?.double ?? 0) - 72.5748) < 0.001)
        #expect(set.output.contains("\t160\tlb") || set.output.contains("\t160.0"))

        let add = try await Tool.run(["increment", "water=8"], environment)
        #expect(add.status == 0, "\(add.errors)")
        let water = sandboxes.server.requests.last { $0.path.hasSuffix("increment/") }?.json?.array?.first
        #expect(water?.object?["value"]?.integer == 237)
    }

    @Test("report what was not stored, and exit with 1")
    func refusal() async throws {
        sandboxes.server.script.next(
            matching: "POST /api/2/attributes/update/",
            respond: .json(
                ["success": [], "failed": [["name": "mood", "error_code": "validation", "error": "Not today."]]],
                status: 202))
        let run = try await Tool.run(["set", "mood=7"], environment)
        #expect(run.status == 1)
        #expect(run.errors.contains("Not stored: mood. Exist says: Not today."))
    }

    @Test("reject an invalid value, and write nothing")
    func nonsense() async throws {
        for (words, meaning) in [
            ("mood=11", "from 1 to 9"), ("sleep=long", "7h30m"), ("sleep_start=25:00", "22:55"),
            ("steps=many", "a number"),
            ("mood", "has no value: write mood=7"), ("=7", "names no attribute"), ("mood=", "has no value"),
            ("sleep=7h70m", "7h30m"),
            ("body_fat=20", "a fraction such as 0.2, or 20%"), ("sleep=-30", "minutes"),
            ("tag: coffee=no", "cleared as “coffee=no”"), ("", "is a variable unset?"),
        ] {
            let run = try await Tool.run(["set", words], environment)
            #expect(run.status == 64, "\(words)")
            #expect(run.errors.contains(meaning), "\(run.errors)")
        }
        #expect(try await Tool.run(["increment", "coffees"], environment).errors.contains("write coffees=1."))
        let scale = try await Tool.run(["increment", "mood=1"], environment)
        #expect(scale.status == 64 && scale.errors.contains("use “pledge set”"))
        #expect(sandboxes.server.requests.allSatisfy { $0.method == "GET" })
    }

    @Test("never repeat an increment that may have arrived")
    func once() async throws {
        sandboxes.server.script.next(.max, matching: "POST /api/2/attributes/increment/", respond: .drop)
        let run = try await Tool.run(["increment", "water=250"], environment)
        #expect(run.status == 1)
        #expect(sandboxes.server.requests.count { $0.path.hasSuffix("increment/") } == 1)
    }

    @Test(
        "show what was done before an error, and name what is not known to be stored", arguments: ["set", "increment"])
    func doneBeforeAnError(command: String) async throws {
        let owned = try await Tool.run([command, "water=1", "--json"], environment)
        #expect(owned.status == 0, "\(owned.errors)")
        // The first request stores the one and refuses the other, which is acquired and sent again in vain.
        sandboxes.server.script.next(
            matching: "POST /api/2/attributes/\(command == "set" ? "update" : "increment")/",
            respond: .json(
                [
                    "success": [["name": "water", "value": 250, "current": 251]],
                    "failed": [["name": "coffees", "error_code": "unauthorised", "error": "Not yours."]],
                ], status: 202))
        sandboxes.server.script.next(
            .max, matching: "POST /api/2/attributes/\(command == "set" ? "update" : "increment")/", respond: .empty(500)
        )

        let run = try await Tool.run([command, "water=250", "coffees=2", "--json"], environment)

        #expect(run.status == 1)
        #expect(try objects(run.output).map { $0["attribute"] as? String } == ["water"], "\(run.output)")
        #expect(run.errors.contains("May or may not be stored: coffees."), "\(run.errors)")
        #expect(run.errors.contains("500"), "\(run.errors)")
    }

    @Test(
        "take over an attribute from a device or an app only on request, and release it",
        arguments: ["set", "increment"])
    func takingOver(command: String) async throws {
        let existAPI = ExistAPI(token: sandboxes.exist.token, timeout: 600, baseURL: sandboxes.server.baseURL)
        let filler = { try await existAPI.attributes(names: ["steps"]).value.attributes.first?.service }
        let before = try #require(try await filler())

        let refused = try await Tool.run([command, "steps=7"], environment)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("Not stored: steps. Withings provides it; use --take-over to acquire it"))
        #expect(try await filler() == before)

        let taken = try await Tool.run([command, "steps=7", "--take-over", "--json"], environment)
        #expect(taken.status == 0, "\(taken.errors)")
        #expect(try objects(taken.output).count == 1)
        #expect(try await filler() != before)

        let released = try await Tool.run(["release", "Steps", "--json"], environment)
        #expect(released.status == 0, "\(released.errors)")
        #expect(try objects(released.output).map { $0["attribute"] as? String } == ["steps"])
        #expect(try await Tool.run(["release", "steps"], environment).status == 1)
    }

    @Test("show why Exist did not store an attribute that could not be taken over", arguments: ["set", "increment"])
    func refusedTakingOver(command: String) async throws {
        sandboxes.server.script.next(
            matching: "POST /api/2/attributes/acquire/",
            respond: .json(
                ["success": [], "failed": [["name": "steps", "error_code": "unauthorised", "error": "No."]]],
                status: 202))
        let run = try await Tool.run([command, "steps=7", "--take-over"], environment)
        #expect(
            run.status == 1 && run.errors.contains("Not stored: steps. Exist says: Attribute 'steps' does not"),
            "\(run.errors)")
    }

    @Test("reject an attribute that is given twice")
    func twice() async throws {
        for words in [["mood=7", "Mood=8"], ["tag: chai", "tag: Chai"]] {
            let run = try await Tool.run(["set"] + words, environment)
            #expect(run.status == 64 && run.errors.contains("is given twice"), "\(run.errors)")
        }
        #expect(sandboxes.server.requests.allSatisfy { $0.method == "GET" })
    }

    @Test("increment an attribute that another service fills in")
    func acquiring() async throws {
        let run = try await Tool.run(["increment", "coffees=2", "--json"], environment)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try objects(run.output).count == 1)
    }
}
