import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Writing many values", .serialized)
final class BulkWritingTests: ToolSuite {
    private let today = TestClock.today
    private static let names = ["mood", "mood_note", "sleep_start", "body_fat", "weight"]

    init() throws { try super.init() }

    private var updates: [ServerRequest] {
        sandboxes.server.requests.filter { $0.path.hasSuffix("attributes/update/") }
    }

    private func table(_ count: Int, of names: [String] = ["mood"]) throws -> String {
        let days = (0..<count).map { today.advanced(by: -$0) }
        let lines = days.flatMap { day in names.map { "\(day),\($0),\(1 + count % 9)\n" } }
        return try folder.file("t.csv", holding: "day,attribute,value\n" + lines.joined()).path
    }

    @Test(
        "`pledge set --from` reads every format that `pledge attributes` prints, and writes the same values back",
        arguments: [("--csv", false), ("--jsonl", true), ("", false), ("", true)])
    func roundTrip(form: String, isImperial: Bool) async throws {
        if isImperial { weighInPounds() }
        try await run(["set", "mood_note==1, \"quoted\"; 'x", "--on", "\(today.advanced(by: -1))"])
        let read = ["attributes"] + Self.names + ["--days", "40"] + (form.isEmpty ? [] : [form])
        let before = try await run(read).output
        let file = try folder.file("t", holding: before).path
        try await run(["set", "--from", file, "--take-over"])
        #expect(try await run(read).output == before)
        let items = updates.flatMap { $0.json?.array ?? [] }
        #expect(items.count > 100)
        let input = try ToolRun(["set", "--from", "-"], sandboxes.ownEnvironment, input: before)
        #expect(await input.end(0).output.split(separator: "\n").count > 100)
    }

    @Test("Writing a year of three attributes takes 32 requests, and one more for each wait for the rate limit")
    func year() async throws {
        try await run("create Coffee Tea Juice --type count --group food")
        let (busy, counter) = (ServerResponse.empty(429, headers: ["Retry-After": "550"]), Counter())
        sandboxes.server.script.next(.max, matching: "POST /api/2/attributes/update/") { _ in
            counter.next() % 4 == 1 ? busy : nil
        }
        try await run("set coffee=1", clock: .jumping(), exits: 1, saying: "the service")
        let whole = try await run(["set", "--from", table(365, of: ["coffee", "tea", "juice"])], clock: .jumping())
        #expect(updates.count == 43)
        #expect(whole.errors.ranges(of: "request limit is reached").count == 10, "\(whole.errors)")
        sandboxes.server.script.reset()
        sandboxes.server.script.next(matching: "POST /api/2/attributes/update/", respond: .empty(400))
        let long = try table(3_660, of: ["coffee", "tea", "juice"])
        try await run(["set", "--from", long], exits: 1, saying: "That takes about 63 min at the service")
        #expect(
            try await run("attributes tea --days 365 --csv").output.split(separator: "\n").last?.contains(",6") == true)
    }

    @Test("If a line is unreadable, it is reported, and nothing is written unless --skip-unreadable is given")
    func unreadable() async throws {
        let lines = [
            "\u{FEFF}Value;day;attribute", "11;2026-01-01;mood", "3;soon;mood", "3;2026-01-02;mod", ";2026-01-03;mood",
            "3;2026-01-04;mood;x", "5.0;2026-01-05;mood", "6;2026-01-05;Mood",
        ]
        let file = try folder.file("t.csv", holding: lines.joined(separator: "\r\n")).path
        let refused = try await run(["set", "--from", file], exits: 64, saying: "5 lines cannot be read")
        #expect(updates.isEmpty)
        let stored = try await run(["set", "--from", file, "--skip-unreadable"], exits: 4)
        for problem in [
            "Line 2: mood takes a number from 1 to 9", "Line 3: “soon” is not a day",
            "Line 8: “Mood” is given twice for 2026-01-05",
            "Line 4: There is no attribute “mod”", "Line 6: It has 4 fields instead of 3",
        ] { #expect(refused.errors.contains(problem) && stored.errors.contains(problem), "\(refused.errors)") }
        #expect(stored.output.hasSuffix("7\tmood\t2026-01-05\t5\t\n"), "\(stored.output)")
        let head = "day,attribute,value\n"
        for (text, words) in [
            (head + String(repeating: "soon,mood,3\n", count: 21), "And 1 more line."), ("{\"day\":1}", "It is not {"),
            ("[{}]", "Line 1: It is not {"), ("", "is empty."), ("\n \n", "is empty."),
            ("a,b", "has no column “attribute”"),
            (head + "2026-01-01,mood,\n", "has no lines"), (head + "2026-01-01,mood,\"3\n", "Line 2: It has 2 fields"),
            (head + "2026-01-01,mood_note,\"a\"b\n", "Line 2: Text follows the quotation mark"),
        ] {
            let file = try folder.file("t.csv", holding: text).path
            try await run(["set", "--from", file], exits: 64, saying: words)
        }
        let many = try folder.file("t.csv", holding: head + String(repeating: "soon,mood,3\n", count: 20)).path
        let all = try await run(["set", "--from", many, "--start-line", "2"], exits: 64, saying: "20 lines cannot be")
        #expect(all.errors.contains("Line 2: “soon”") && !all.errors.contains("And "))
        try await run(["set", "--from", folder.path("none")], exits: 1, saying: "cannot be read: No such file")
        try await run(["set", "--from", folder.url.path], exits: 64, saying: "is a folder: name a file in it.")
        try Data([0xFF, 0x61]).write(to: URL(fileURLWithPath: file))
        try await run(["set", "--from", file], exits: 64, saying: "is not text in UTF-8")
    }

    @Test("If a line is ambiguous, the error has its number and the reason, and nothing is written")
    func ambiguous() async throws {
        weighInPounds()
        let head = "day,attribute,value,unit,account,removed,demo\n2026-01-01,"
        for (text, words) in [
            (head + "weight,72.4,banana,,,", "Line 2: weight can be in lb or kg, but not in “banana”."),
            (head + "weight,72.4,,,,", "Line 2: weight: “72.4” may be in lb or in kg. Name the unit"),
            (head + "weight,\"72,4\",kg,,,", "A decimal point is a point, not a comma."),
            (head + "steps,8.000,,,,", "Line 2: steps takes a whole number, not “8.000”."),
            (head + "steps,0x10,,,,", "Line 2: steps takes a number, not “0x10”."),
            (head + "steps,7\u{0},,,,", "Line 2: steps takes a number"),
            (head + "mo\u{0}od,7,,,,", "Line 2: There is no attribute “mood”."),
            (
                head + "mood,7,,ada,,\n2026-01-02,mood,7,,bob,,",
                "Line 3: It belongs to the account “bob”, but line 2 to “ada”"
            ),
            (head + "mood,7,,ada,2026-02-03,", "Line 2: On 2026-02-03, Exist had already removed this value"),
            (head + "mood,7,,,,true", "Line 2: It comes from --demo, whose data is invented."),
            ("day,attribute,value,value\n", "has 2 columns “value”"),
            (
                "day\tattribute\tvalue\n2026-01-01\tmood_note\ta\\b",
                "Line 2: In “a\\b”, a backslash does not begin an escape"
            ),
            (#"{"day":"2026-01-01","attribute":"mood","value":7,"value":8}"#, "Two of its members have the same name"),
            (#"{"service":"mydatahelps","account":"a","values":[]}"#, "Its values are not from Exist."),
            (#"{"service":"exist","account":"a","error":{"kind":"unauthorized"}}"#, "Line 1: It is not {"),
            ("[\n{\"day\":\"2026-01-01\",\"attribute\":\"mood\",\n\"value\":7},\n{\"day\":1}]", "Line 4: It is not {"),
            ("[{\"day\":\"2026-01-01\",\"attribute\":\"mood\",\"value\":7}", "does not end"),
        ] {
            let file = try folder.file("t", holding: text).path
            let run = try await run(["set", "--from", file, "--take-over"], exits: 64)
            let errors = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(errors.contains(words), "\(errors)")
        }
        #expect(updates.isEmpty)
    }

    @Test("A table may have a row for each day and a column for each attribute, with a unit in the column's name")
    func wide() async throws {
        weighInPounds()
        let lines = [
            "Weight (kg),DATE,mood,Mood note", "72.4,2026-01-01,7,'=x (1)", ",2026-01-02,5,", ",2026-01-03,,",
            "71.9,2026-01-04,,",
        ]
        for (separator, end) in [(",", "\n"), (";", "\r\n")] {
            sandboxes.server.resetRequests()
            let table = lines.map { $0.replacingOccurrences(of: ",", with: separator) + end }.joined()
            let file = try folder.file("t.csv", holding: table).path
            let stored = try await run(["set", "--from", file, "--take-over", "--csv"])
            let rows = try #require(CSVText.rows(stored.output)).dropFirst()
            #expect(rows.map { $0[0] } == ["2", "2", "2", "3", "5"], "\(rows)")
            // Only the last update is examined. It was sent after the attributes had been acquired.
            let items = (updates.last?.json?.array ?? []).compactMap(\.object)
            #expect(items.map { $0["name"]?.string } == ["weight", "mood", "mood_note", "mood", "weight"])
            #expect(items.map { $0["date"]?.string?.suffix(2) } == ["01", "01", "01", "02", "04"])
            #expect(items[0]["value"] == .number(72.4) && items[2]["value"]?.string == "'=x (1)", "\(items)")
        }
        for (text, words) in [
            ("date,weight\n2026-01-01,72.4", "Line 2: weight: “72.4” may be in lb or in kg. Name the unit"),
            ("date,mod\n2026-01-01,7", "Line 2: There is no attribute “mod”"),
            ("date,mood (kg)\n2026-01-01,7", "Line 2: mood has no unit"),
            ("date,mood (am)\n2026-01-01,7", "Line 2: There is no attribute “mood (am)”"),
            ("date,mood,Mood\n2026-01-01,7,7", "Line 2: “Mood” is given twice for 2026-01-01"),
            ("day,value\n2026-01-01,7", "has no column “attribute”"),
            ("mood,weight\n7,72", "has no column “attribute”"),
        ] {
            let file = try folder.file("t.csv", holding: text).path
            let run = try await run(["set", "--from", file, "--take-over"], exits: 64)
            let errors = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(errors.contains(words), "\(errors)")
        }
    }

    @Test("The errors for a name or a value of 500,000 characters stay short")
    func longCells() async throws {
        let long = String(repeating: "x\u{301}", count: 500_000)
        let file = try folder.file(
            "t.csv", holding: "day,attribute,value\n2026-01-01,\(long),7\n2026-01-02,\(long)\n2026-01-01,mood,\(long)\n"
        )
        let run = try await run(["set", "--from", file.path], exits: 64, saying: "3 lines cannot be read")
        #expect(run.errors.utf8.count < 2_000)
    }

    @Test("If more than 20 values are not stored, the errors name 20 of them and count the rest")
    func manyRefused() async throws {
        let file = try folder.file(
            "t.csv", holding: "day,attribute,value\n" + (0..<30).map { "\(today.advanced(by: -$0)),steps,5\n" }.joined()
        )
        let run = try await run(["set", "--from", file.path], exits: 1)
        #expect(run.errors.ranges(of: "Not stored:").count == 20, "\(run.errors)")
        let errors = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(errors.contains("And 10 more values that were not stored."))
    }

    @Test("A dry run shows what would be stored, replaced, and acquired, and writes nothing")
    func dryRun() async throws {
        try await run("set mood=5 --take-over")
        try await run(["set", "weight=70.8", "--on", "\(today)", "--take-over"])
        sandboxes.server.resetRequests()
        let lines =
            "\(today),mood,7,\n\(today.advanced(by: -5_000)),mood,6,\n\(today),steps,5,\n\(today),weight,150,lb\n"
        let file = try folder.file("t.csv", holding: "day,attribute,value,unit\n\(lines)soon,mood,1,\n").path
        let words = ["set", "--from", file, "--dry-run", "--skip-unreadable", "--csv"]
        let cautious = try await run(words, exits: 1, saying: "Line 6:", "Withings provides it; use")
        let rows = try #require(CSVText.rows(cautious.output))
        #expect(rows[0] == ["line", "attribute", "day", "value", "unit", "replaced", "acquired", "provider"])
        #expect(rows.dropFirst().map { $0[0] } == ["2", "3", "5"])
        #expect(rows[1] == ["2", "mood", "\(today)", "7", "", "5", "false", ""])
        #expect(rows[2][5] == "" && rows[3][3...6] == ["68.0388555", "kg", "70.8", "false"], "\(rows)")
        let all = try await run(words + ["--take-over"], exits: 4, saying: "this was a dry run")
        #expect(try #require(CSVText.rows(all.output))[3][5...].last == "Withings", "\(all.output)")
        let typed = try await run(
            ["set", "tag: Porridge", "mood=3", "--dry-run"], saying: "Would create the tag “Porridge”")
        #expect(typed.output.contains("mood\t\(today)\t3\t\t5\tfalse"), "\(typed.output)")
        #expect(sandboxes.server.requests.allSatisfy { $0.method == "GET" })
        #expect(try await run("attributes mood --csv").output.contains(",\(today),5,"))
    }

    @Test("Quotation marks within a field, Windows line ends, and large numbers are read correctly")
    func forms() async throws {
        let day = #"{"day":"2026-01-01","attribute":"mood_note","value":"#
        for (text, note) in [
            (day + "\"a\u{2028}b\u{85}c\"}\n \n", "a\u{2028}b\u{85}c"),
            ("day;attribute;value\r\n2026-01-01;mood_note;'=x\r\n", "=x"),
            ("day\tattribute\tvalue\n2026-01-01\tmood_note\t'=x\n", "'=x"),
        ] {
            try await run(["set", "--from", folder.file("t", holding: text).path])
            #expect(updates.last?.json?.array?.first?.object?["value"]?.string == note)
        }
        let notes =
            "day,attribute,value\n2026-01-01,mood_note,a\"b\"c\n2026-01-02,mood_note,5\" disk\n2026-01-03,mood_note,a\"\"b\n"
        let table = try await run(["set", "--from", folder.file("t.csv", holding: notes).path, "--jsonl"])
        #expect(table.output.contains(#""value":"a\"b\"c""#) && table.output.contains(#""value":"5\" disk""#))
        #expect(table.output.contains(#""value":"a\"\"b""#))
        let line = #"{"day":"2026-01-01","attribute":"steps","value":"#
        let lines = line + "9007199254740993}\r\n" + line.replacingOccurrences(of: "01-01", with: "01-02") + "7}\r\n"
        try await run(["set", "--take-over", "--from", folder.file("t.jsonl", holding: lines).path])
        #expect(updates.last?.json?.array?.count == 2)
        #expect(updates.last?.body.contains("9007199254740993".utf8) == true)
    }

    @Test(
        "After a failed request, the tool says what happened to each line and where to continue",
        arguments: ["--json", "--plain"])
    func resumed(form: String) async throws {
        let (file, counter) = (try table(100), Counter())
        try await self.run("set mood=5")
        sandboxes.server.script.next(.max, matching: "POST /api/2/attributes/update/") { _ in
            counter.next() == 1 ? nil : .empty(400)
        }
        let run = try await run(["set", "--from", file, form], exits: 1, saying: "Continue with --start-line 37.")
        let told = try? JSONSerialization.jsonObject(with: Data(run.output.utf8))
        #expect((told is [[String: Any]]) == (form == "--json") && !run.output.contains("Nothing"))
        #expect(run.output.matches(of: #/[Ll]ine"?: ?(\d+)/#).compactMap { Int($0.1) } == Array(2...36))
        let (unknown, rest) = (today.advanced(by: -35), today.advanced(by: -70))
        #expect(run.errors.contains("May or may not be stored: line 37, mood \(unknown). Check it"), "\(run.errors)")
        #expect(run.errors.contains("Not sent: 30 values, beginning with line 72, mood \(rest)."), "\(run.errors)")
        sandboxes.server.script.reset()
        let others = try await self.run(["set", "--from", file, "--start-line", "37", "--csv"])
        #expect(others.output.split(whereSeparator: \.isNewline).count == 1 + 65)
    }

    @Test("If the request that acquires an attribute fails, the tool says to continue with the attribute's first value")
    func acquiringFails() async throws {
        let file = try table(100)
        sandboxes.server.script.next(.max, matching: "POST /api/2/attributes/acquire/") { _ in .empty(400) }
        try await run(["set", "--from", file], exits: 1, saying: "Continue with --start-line 2.")
        sandboxes.server.script.reset()
        let rest = try await run(["set", "--from", file, "--start-line", "2", "--csv"])
        #expect(rest.output.split(whereSeparator: \.isNewline).count == 1 + 100)
    }

    @Test(
        "After an interrupt, the tool waits for the response, prints what was stored, and says where to continue",
        arguments: [1, 100])
    func interrupted(count: Int) async throws {
        let file = try table(count)
        let (first, isTold) = (sandboxes.server.requests.count, DispatchSemaphore(value: 0))
        let stop = { @Sendable (run: ToolRun) in
            run.interrupt()
            isTold.wait()
        }
        let tool = try sandboxes.start(stopping: stop, atRequest: first + 3) {
            try ToolRun(["set", "--from", file], sandboxes.ownEnvironment)
        }
        await Wait.until { tool.errors.contains("Waiting for the response") }
        isTold.signal()
        let run = await tool.end(130)
        #expect(run.output.split(separator: "\n").count == 1 + min(count, 35), "\(run.errors)")
        #expect(run.errors.contains("Continue with --start-line 37.") == (count > 1))
    }

    @Test("An interrupt ends a wait for the rate limit at once; the tool reports the remaining values as not sent")
    func interruptedWait() async throws {
        let (file, counter) = (try table(100), Counter())
        try await self.run("set mood=5")
        sandboxes.server.script.next(.max, matching: "POST") { _ in
            counter.next() == 1 ? nil : .empty(429, headers: ["Retry-After": "300"])
        }
        let tool = try ToolRun(["set", "--from", file], sandboxes.ownEnvironment)
        await Wait.until { tool.errors.contains("request limit is reached") }
        tool.interrupt()
        let run = await tool.end(130)
        #expect(run.output.split(separator: "\n").count == 1 + 35, "\(run.output)")
        #expect(run.errors.contains("Not sent: 65 values, beginning with line 37,"), "\(run.errors)")
        #expect(run.errors.contains("Continue with --start-line 37."), "\(run.errors)")
        #expect(!run.errors.contains("May or may not") && !run.errors.contains("Waiting for the response"))
    }

    @Test("`pledge set` can store one value for several days; `pledge create` can give an attribute a type and a group")
    func constant() async throws {
        let days = try await run("set mood=7 --on 2026-01-30..2026-02-02 --csv")
        #expect(days.output.split(whereSeparator: \.isNewline).count == 5 && updates.count <= 2)
        let last = try await run("set mood=6 --days 3 --csv")
        #expect(last.output.contains("mood,\(today),6") && last.output.contains("mood,\(today.advanced(by: -2)),6"))
        let create = ["create", "Done working", "--type", "time-of-day", "--group", "productivity", "--csv"]
        let made = try await run(create)
        #expect(made.output.contains("done_working,Done working,productivity"))
        #expect(try await run("set done_working=17:30 --csv").output.contains(",1050,min after midnight"))
        try await run(["create", "Done working"], exits: 1, saying: "Not created: Done working. Exist says:")
        try await run("create x --group nowhere", exits: 1, saying: "Group does not exist")
    }

    @Test("Reading ten years of one attribute takes 37 requests for values")
    func longHistory() async throws {
        let small = try BothSandboxes(isEmpty: true)
        small.exist.addAttribute("steps")
        small.exist.setValue(.integer(7), of: "steps", on: "\(today.advanced(by: -3_659))")
        let run = try await Tool.run("attributes steps --days 3660 --csv", small.ownEnvironment)
        #expect(run.output.split(whereSeparator: \.isNewline).count == 3_661)
        #expect(run.output.hasSuffix("\(today.advanced(by: -3_659)),7,\r\n"))
        #expect(small.server.requests.count { $0.path.hasSuffix("attributes/values/") } == 37)
        #expect(small.server.requests.count == 39)
        let longer = ["attributes", "--from", "\(today.advanced(by: -3_660))"]
        try await Tool.run(longer, small.ownEnvironment, exits: 64, saying: "lists 3660 days at most")
    }
}
