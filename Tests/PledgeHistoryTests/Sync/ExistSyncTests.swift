import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("A sync of Exist")
struct ExistSyncTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    @Test("With `fullEvery`, each account's whole history is read every few days, and accounts take turns")
    func turns() async throws {
        let fixture = try ExistFixture(attributes: ["steps"])
        fixture.sandbox.setValue(1, of: "steps", on: "2026-06-01")
        let names = ["a", "b", "c", "d", "e"]
        var full: [String: [Int]] = [:]
        for night in 0..<12 {
            if night == 1 { fixture.sandbox.setValue(2, of: "steps", on: "2026-07-01") }
            for name in names {
                let before = try history.count("daily", "account = '\(name)' AND day < '2026-11-01'")
                try await fixture.sync(history, as: name) { $0.fullEvery = 4 }
                let after = try history.count("daily", "account = '\(name)' AND day < '2026-11-01'")
                if night > 0, after > before { full[name, default: []].append(night) }
                if night > 0, after == 2 {
                    // Deletes the late value, so that the account's next full read finds it again.
                    try history.transaction { _ = try $0.run("DELETE FROM value WHERE day = '2026-07-01'") }
                }
            }
            fixture.clock.advance(by: 86_400)
        }
        // An account's first full read comes after one to four days. Each later one comes four days after the one
        // before it.
        #expect(full == ["a": [3, 7, 11], "b": [2, 6, 10], "c": [1, 5, 9], "d": [4, 8], "e": [3, 7, 11]])
        try await fixture.sync(history, as: "d") { ($0.fullEvery, $0.isFull) = (4, true) }
        let found = try history.query("SELECT day FROM daily WHERE account = 'd' AND day < '2026-11-01'").rows
        #expect(found == [["2026-06-01"], ["2026-07-01"]])
        try await fixture.sync(history, as: "new") { $0.fullEvery = 0 }
    }

    @Test("The first sync reads the whole history; a second one without changes takes at most eight requests")
    func unchanged() async throws {
        let fixture = try ExistFixture()
        let first = try await fixture.sync(history)
        // The profile, attributes, averages, and correlations take one request each, and insights one per hundred. The
        // latest hundred days take one request for each of 41 attributes. The 265 days before that take one request a
        // month for all listed attributes, and one per hundred days for each of 2 unlisted attributes.
        let (attributes, insights) = (try history.count("attribute"), try history.count("insight"))
        #expect(first.requests == 4 + (insights + 99) / 100 + attributes + 9 + 2 * 3)
        #expect(
            try history.query("SELECT min(day), max(day) FROM value WHERE attribute = 'steps'").rows == [
                ["2025-11-21", "2026-11-20"]
            ])
        let content = try history.content()
        let second = try await fixture.sync(history)
        #expect(second.changes == ChangeCount())
        #expect(second.requests <= 8 && "\(second)".hasSuffix(" requests, none added, none changed, none removed"))
        var one = second
        (one.requests, one.changes) = (1, ChangeCount(added: 1, changed: 2, removed: 0))
        #expect("\(one)" == "1 request, 1 added, 2 changed, none removed")
        #expect(try history.content() == content)
        #expect(
            try history.query("SELECT outcome, requests FROM sync_run").rows == [
                ["done", .integer(first.requests)], ["done", .integer(second.requests)],
            ])
    }

    @Test("A sync counts late values, corrections, and removals")
    func counted() async throws {
        let fixture = try ExistFixture(attributes: ["floors_climbed", "gone"])
        fixture.setValues(of: "floors_climbed", daysAgo: 1..<20)
        try await fixture.sync(history)
        fixture.sandbox.setValue(100, of: "floors_climbed", on: "2026-11-10")
        fixture.sandbox.setValue(.null, of: "floors_climbed", on: "2026-11-11")
        fixture.sandbox.setValue(7, of: "floors_climbed", on: "2026-11-20")
        fixture.sandbox.changeAttribute("floors_climbed", label: "Stairs")
        fixture.sandbox.removeAttribute("gone")
        try await fixture.sync(history)
        let last = try history.query("SELECT added, changed, removed FROM sync_run ORDER BY id DESC").rows[0]
        // Two values, the label, and the resulting average have changed. A value and an attribute were removed. Nothing
        // was added, because today already had a row: until something is counted, the value of a count is 0.
        #expect(last == [0, 4, 2])
        #expect(try history.query("SELECT removed FROM attribute WHERE name = 'gone'").rows == [["2026-11-20"]])
        #expect(
            try history.query("SELECT label, value FROM latest WHERE attribute = 'floors_climbed'").rows == [
                ["Stairs", 7]
            ])
    }

    @Test("If a sync is stopped again and again, it repeats only the requests that each run begins with")
    func interrupted() async throws {
        let fixture = try ExistFixture(isSmall: true)
        fixture.sandbox.addAttribute("walks", isLowPriority: true)
        fixture.setValues(of: "walks", daysAgo: 0..<250, to: 3)
        let whole = try History(scratch.path("whole.db"))
        try await fixture.sync(whole)
        let undisturbed = fixture.sandbox.server.requests.map(\.target)
        let asked = try await fixture.sandbox.server.requestsOfRuns { run in
            let left = Locked(6 + run)
            try await fixture.sync(history) { $0.isStopped = { left.runsOut } }
        }
        #expect(asked.count > 3)
        #expect(try history.content() == whole.content())
        // Each run begins with these requests, because their data may have changed. A list with a single page is always
        // read as a whole.
        let beginning = [
            "accounts/profile/", "attributes/?include_inactive", "with-values/?days=15&date_max=2026-11-20",
            "values/?attribute=walks&page", "averages/", "correlations/", "insights/?date_min=",
        ]
        let repeated = asked.joined().subtracting(undisturbed).filter { target in
            !beginning.contains { target.contains("/\($0)") }
        }
        // A run that continues a list of insights from a certain day on gets different pages. Its first page may
        // overlap with a page that an earlier run has read.
        let isInsights = { (target: String) in target.contains("/insights/?") && !target.contains("date_min=") }
        #expect(repeated.allSatisfy(isInsights), "\(repeated)")
        let pages = asked.joined().count(where: isInsights) - undisturbed.count(where: isInsights)
        #expect(pages <= repeated.count { $0.contains("&page=1&") }, "\(repeated)")
    }

    @Test(
        "An attribute that is listed but not found doesn't affect other attributes, and the next sync requests it again"
    )
    func notFound() async throws {
        let fixture = try ExistFixture(attributes: ["coffee", "ghost", "walks"])
        for name in ["coffee", "ghost", "walks"] { fixture.setValues(of: name, daysAgo: 2..<3, to: 3) }
        fixture.refuse("attributes/values/", of: ["ghost": 404])
        let first = try await fixture.sync(history)
        #expect(first.notes.count == 1)
        #expect(first.notes.first?.hasPrefix("The values of “ghost” could not be read: GET ") == true)
        #expect(try history.query("SELECT outcome, error FROM sync_run").rows == [["done", .text(first.notes[0])]])
        let values = "SELECT attribute FROM value WHERE value = 3"
        #expect(try history.query(values).rows == [["coffee"], ["walks"]])
        fixture.sandbox.server.script.reset()
        #expect(try await fixture.sync(history).notes == [])
        #expect(try history.query(values).rows == [["coffee"], ["ghost"], ["walks"]])
    }

    @Test("A run that fails records its error, and also the errors of attributes that it skipped earlier in the run")
    func notFoundAndFailed() async throws {
        let fixture = try ExistFixture(attributes: ["coffee", "ghost", "walks", "yoga"])
        fixture.refuse("attributes/values/", of: ["ghost": 404, "walks": 503, "yoga": 503])
        await #expect { try await fixture.sync(history) } throws: { ExistError($0).exchange?.status == 503 }
        let run = try #require(try history.query("SELECT outcome, error FROM sync_run").rows.first)
        let lines = (run[1].text ?? "").split(separator: "\n")
        #expect(run[0] == "failed" && lines.count == 3)
        #expect(lines.first?.contains("answered 503") == true)
        for name in ["ghost", "yoga"] {
            #expect(lines.dropFirst().contains { $0.hasPrefix("The values of “\(name)” could not be read: GET ") })
        }
    }

    @Test(
        "If the service answers a request for values with 404 or 503, the sync still reads the other lists",
        arguments: [404, 503], ["values/", "with-values/"])
    func noneFound(status: Int, path: String) async throws {
        let fixture = try ExistFixture(isSmall: true)
        if path == "with-values/" { try await fixture.sync(history) { $0.now = { fixture.clock.now - 86_400 } } }
        fixture.refuse("attributes/\(path)", status: status)
        let insights = try history.count("insight")
        fixture.clock.advance(by: 86_400)
        _ = try? await fixture.sync(history)
        let last = try history.query("SELECT outcome, kind, error FROM sync_run ORDER BY id DESC").rows[0]
        #expect(Array(last[..<2]) == (status == 404 ? ["done", "notFound"] : ["failed", "serviceFault"]))
        #expect(last[2].text?.contains("attributes/\(path)") == true)
        #expect(try history.count("insight") > insights)
    }

    @Test("If a request for one attribute fails after the common window was read, later attributes are still read")
    func afterWindow() async throws {
        let fixture = try ExistFixture(attributes: ["steps"])
        for name in ["coffee", "walks"] { fixture.sandbox.addAttribute(name, isLowPriority: true) }
        try await fixture.sync(history)
        fixture.setValues(of: "walks", daysAgo: 0..<1, to: 3)
        fixture.refuse("attributes/values/", of: ["coffee": 503])
        await #expect { try await fixture.sync(history) } throws: { ExistError($0).exchange?.status == 503 }
        #expect(try history.query("SELECT attribute FROM value WHERE value = 3").rows == [["walks"]])
    }

    @Test("An attribute that the service lists twice is read once")
    func twice() async throws {
        let fixture = try ExistFixture(attributes: ["walks"], isLowPriority: true)
        fixture.setValues(of: "walks", daysAgo: 2..<3, to: 3)
        fixture.sandbox.server.script.next(.max, matching: "/api/2/attributes/") { request in
            guard request.path == "/api/2/attributes/" else { return nil }
            return .json(.page([.attribute("walks"), .attribute("walks")]))
        }
        for _ in 0..<2 {
            let left = Locked(40)
            #expect(try await fixture.sync(history) { $0.isStopped = { left.runsOut } }.requests < 20)
        }
        #expect(try history.query("SELECT attribute FROM value WHERE value = 3").rows == [["walks"]])
    }

    @Test(
        "A response without any items removes nothing",
        arguments: ["/api/2/attributes/values/", "/api/2/attributes/with-values/", "/api/2/insights/"])
    func emptyAnswer(path: String) async throws {
        let fixture = try ExistFixture(isSmall: true)
        fixture.sandbox.addAttribute("walks", isLowPriority: true)
        fixture.sandbox.setValue(3, of: "walks", on: "2026-11-18")
        try await fixture.sync(history)
        let values = try history.query("SELECT * FROM value").rows
        let insights = try history.query("SELECT * FROM insight").rows
        #expect(!values.isEmpty && !insights.isEmpty)
        let names = try history.query("SELECT DISTINCT attribute FROM value").rows.compactMap(\.first?.text)
        fixture.sandbox.server.script.next(.max, matching: path) { _ in
            .json(.page(path.contains("with-values") ? names.map { .attribute($0, values: []) } : []))
        }
        for isFull in path.hasSuffix("/insights/") ? [false, true] : [false] {
            try await fixture.sync(history) { ($0.isFull, $0.acceptsRemovals) = (isFull, true) }
            #expect(try history.query("SELECT * FROM value").rows == values)
            #expect(try history.query("SELECT * FROM insight").rows == insights)
        }
    }

    @Test("If the service refuses a list or fails at it, the sync still reads the later lists", arguments: [403, 500])
    func averages(status: Int) async throws {
        let fixture = try ExistFixture(isSmall: true)
        fixture.refuse("averages/", status: status)
        if status == 500 {
            await #expect { try await fixture.sync(history) } throws: { ExistError($0).kind == .serviceFault }
        } else {
            let notes = try await fixture.sync(history).notes
            #expect(notes.count == 1 && notes[0].hasPrefix("The averages could not be read: GET "), "\(notes)")
            fixture.refuse("insights/", status: 404)
            #expect(try await fixture.sync(history).gaps.map(\.kind) == ["forbidden", "notFound"])
            #expect(try history.failures().map(\.kind) == ["forbidden"])
        }
        #expect(try history.query("SELECT 1 FROM correlation").rows.isEmpty == false)
        #expect(try history.query("SELECT 1 FROM insight").rows.isEmpty == false)
    }

    @Test("If many items can't be decoded, the first twenty are noted, and the others are only counted")
    func manyUnreadable() async throws {
        let fixture = try ExistFixture(isSmall: true)
        fixture.sandbox.server.script.next(
            matching: "/api/2/averages/",
            respond: .json(.page(Array(repeating: ["overall": 1], count: 30))))
        let notes = try await fixture.sync(history).notes
        #expect(notes.count == 21 && notes.last == "10 more items could not be read.", "\(notes)")
    }

    @Test("If a sync is stopped while a request for a list fails, it requests no further list")
    func endedAtFailure() async throws {
        let fixture = try ExistFixture(isSmall: true)
        let isStopped = Locked(false)
        fixture.sandbox.server.script.next(.max, matching: "/api/2/averages/") { _ in
            isStopped.withLock { $0 = true }
            return .json(["detail": "No."], status: 403)
        }
        await #expect(throws: PromiseError.cancelled) {
            try await fixture.sync(history) { $0.isStopped = { isStopped.withLock { $0 } } }
        }
        #expect(!fixture.sandbox.server.requests.contains { $0.path == "/api/2/correlations/" })
    }

    @Test("The database contains no token")
    func secrecy() async throws {
        let fixture = try ExistFixture(isSmall: true)
        try await fixture.sync(history)
        for name in try scratch.names {
            let bytes = try Data(contentsOf: scratch.url.appendingPathComponent(name))
            #expect(bytes.range(of: Data(fixture.sandbox.token.utf8)) == nil)
        }
    }

    @Test(
        "A sync reads all values even if the service reports a count of 0, and even if that count ended an earlier sync early"
    )
    func zeroCount() async throws {
        let fixture = try ExistFixture(attributes: ["steps"])
        let (today, counted) = (ExistDay(Date.friday, in: .gmt), Counter())
        fixture.sandbox.server.script.next(.max, matching: "GET /api/2/attributes/values/") { request in
            // Ends a sync that would otherwise request pages forever.
            guard counted.next() < 50 else { return .empty(401) }
            let last = request.queryValue("date_max").flatMap { ExistDay($0) } ?? today
            let left = today.advanced(by: -249).distance(to: last) + 1
            let days = (0..<max(0, min(left, 100))).map { #"{"date": "\#(last.advanced(by: -$0))", "value": 1}"# }
            let next = left > 100 ? #""x""# : "null"
            return .text(#"{"count": 0, "next": \#(next), "results": [\#(days.joined(separator: ", "))]}"#)
        }

        for _ in 0..<2 {
            try await fixture.sync(history) { $0.isStopped = { counted.value >= 50 } }
            // Counts only the days before November, because the script above answers only the requests for those days.
            // The sandbox itself answers the request for the latest days, and has no values.
            #expect(try history.query("SELECT count(*) FROM value WHERE day < '2026-11-01'").rows == [[230]])
            _ = try history.transaction { database in
                try database.run("DELETE FROM value WHERE day < '2026-09-01'", [])
                try database.run(
                    "UPDATE sync_state SET oldest = '2026-09-01', begins = '2026-09-01', is_complete = 0", [])
            }
        }
        #expect(counted.value < 20)
    }
}
