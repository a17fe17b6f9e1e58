import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeHistory

@Suite("`pledge report --database`")
final class DatabaseReportTests: FolderSuite {
    private func report(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Report {
        try await Tool.run(["report", "--json"] + arguments, environment).json()
    }

    /// The services, and a folder with a database into which both were synced. All tests share them.
    private static let whole = Task {
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes())
        try await Tool.run(["sync", folder.path("a.db"), "--quiet"], services.ownEnvironment)
        return (folder: folder, services: services)
    }

    private static var path: String { get async throws { try await whole.value.folder.path("a.db") } }

    @Test(
        "A week's report from a database equals the report from the services, and needs no account",
        arguments: [[], ["--mydatahelps"]])
    func sameAsOnline(service: [String]) async throws {
        let synced = try await Self.whole.value
        // The week ended eight days ago, so it is over in every time zone.
        let last = ExistDay(TestClock.noon, in: .gmt).advanced(by: -8)
        let week = service + ["--from", "\(last.advanced(by: -6))", "--through", "\(last)"]
        let online = try await report(week, synced.services.ownEnvironment)
        var offline = try await report(week + ["--database", Self.path])
        #expect(offline.source.hasPrefix("a.db, synced "))
        offline.source = online.source
        #expect(offline == online)
        #expect(online.hasUsual == service.isEmpty)
        #expect(!online.groups.isEmpty && (service.isEmpty ? !online.insights.isEmpty : !online.lists.isEmpty))
    }

    @Test("A month is drawn by day, a year by week, and more days by month, as text and as HTML")
    func periods() async throws {
        let command = ["report", "--database", try await Self.path]
        let today = ExistDay(TestClock.noon, in: .gmt)
        let lastMonth = today.advanced(by: -today.day)
        let month: Report = try await Tool.run(command + ["--json", "--month", "\("\(lastMonth)".prefix(7))"])
            .json()
        #expect(month.days.count == lastMonth.day && month.days.last == lastMonth && !month.endsToday)
        #expect(month.title == "A month" && !month.notes.contains { $0.hasPrefix("Charts are drawn by") })
        let year = command + ["--days", "365"]
        let text = try await Tool.run(year)
        #expect(text.output.contains("Charts are drawn by week"), "\(text.errors)")
        #expect(text.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(text.output.contains("earlier ones (--all)."))
        #expect(try await !Tool.run(year + ["--all"]).output.contains("--all"))
        try await Tool.run(year + ["--html", folder.path("year.html")])
        #expect(folder.text("year.html").contains(": mean "))
        let long = try await Tool.run(command + ["--from", "\(today.advanced(by: -700))"])
        #expect(long.output.contains("Charts are drawn by month"))
        for (year, words) in [
            (today.year + 2, "is not in the database, which was last synced on"), (1999, "has no values before 20"),
        ] { try await Tool.run(command + ["--year", "\(year)"], exits: 64, saying: words) }
    }

    @Test("A report doesn't count days as synced on which the sync failed, and says that data may be missing")
    func failedSync() async throws {
        let services = try BothSandboxes()
        let path = folder.path("failed.db")
        let environment = services.ownEnvironment
        try await Tool.run(["sync", path, "--quiet"], environment)
        let clock = ManualTimekeeper(start: TestClock.noon.addingTimeInterval(20 * 86_400))
        for number in 0..<2 {
            services.server.script.next(.max, matching: "GET /api/2/attributes/") { _ in .empty(403) }
            services.server.script.next(.max, matching: "GET /api/v1/delegated/project") { _ in .empty(500) }
            let later = clock.now.addingTimeInterval(Double(number) * 86_400)
            try await Tool.run(
                ["sync", path, "--quiet", "--wait=0"], environment,
                clock: ManualTimekeeper(start: later).timekeeper, exits: 1)
        }
        // A sync that fails later stores the service's day first.
        let later = ExistDay(clock.now, in: .gmt).description
        try Database(writing: path).run("UPDATE account SET day = ? WHERE service = 'exist'", [.text(later)])
        for service in [[], ["--mydatahelps"]] {
            let report: Report = try await Tool.run(
                ["report", "--json", "--database", path] + service, clock: clock.timekeeper
            ).json()
            #expect(report.warnings.contains { $0.hasSuffix("so data may be missing: run “pledge sync” again.") })
            let synced = ExistDay(TestClock.noon, in: .gmt)
            #expect(report.source == "failed.db, synced \(synced.short) \(synced.year)")
        }
    }

    @Test("If a database has several accounts, --account must name one, and the error names some of them")
    func accounts() async throws {
        let services = try BothSandboxes()
        let file = try folder.file("accounts.jsonl", holding: [1, 3, 5, 7].map { services.line($0) + "\n" }.joined())
            .path
        let path = folder.path("study.db")
        try await Tool.run(["sync", file, "--database", path, "--rate=100000"], services.environment)
        for (more, words) in [
            ([], "4 accounts, such as “a1”, “a3”, “a5”: choose one with --account"),
            (["--account", "a2"], "no account “a2” of Exist"),
            (["--mydatahelps"], "but one of Exist: omit --mydatahelps"),
        ] {
            try await Tool.run(["report", "--database", path] + more, exits: 64, saying: words)
        }
        #expect(try await report(["--database", path, "--account", "a3"]).person == "Maya Lindqvist")
    }

    @Test("Demo data in a database is labeled, and JSON or HTML reports of it need --demo")
    func demo() async throws {
        try await Tool.run(["sync", folder.path("a.db"), "--demo", "--quiet"])
        for service in [[], ["--mydatahelps"]] {
            let arguments = ["report", "--database", folder.path("a.db")] + service
            #expect(try await Tool.run(arguments).output.hasPrefix("DEMO: an invented"))
            try await Tool.run(arguments + ["--json"], exits: 64, saying: "has only sample data")
            try await Tool.run(arguments + ["--html", folder.path("page")], exits: 64, saying: "add --demo.")
            #expect(try await Tool.run(arguments + ["--json", "--demo"]).output.contains(#""demo" : true"#))
        }
        #expect(!folder.has("page"))
    }

    @Test("If the database is missing or empty, the report fails and creates no file")
    func unusable() async throws {
        try folder.file("empty.db", holding: "")
        for (name, words) in [("none.db", "create it with “pledge sync"), ("empty.db", "“pledge sync” fills it")] {
            try await Tool.run(["report", "--database", folder.path(name)], exits: 1, saying: words)
        }
        #expect(try folder.names == ["empty.db"])
    }

    private let now = TestClock.noon

    /// Makes a report of a database as if it were this number of days later.
    private func make(_ choice: ReportSpan.Choice, of path: String, after days: Double = 0) throws -> Report {
        try DatabaseReport(path: path, choice: choice, service: .exist, zone: .gmt, now: now + days * 86_400).make()
    }

    @Test("Days after the last sync are left out, and the day of the last sync counts as unfinished")
    func stale() async throws {
        let path = try await Self.path
        let (fresh, stale) = (try make(.latest(7), of: path), try make(.latest(7), of: path, after: 3))
        #expect(fresh.days == stale.days && fresh.endsToday && !stale.endsToday)
        #expect(!stale.correlations.isEmpty && stale.groups == fresh.groups)
        #expect(stale.groups.flatMap(\.attributes).contains { $0.soFar })
        let future = ReportSpan.Choice.between(nil, ExistDay(now, in: .gmt).advanced(by: 3))
        #expect(try make(future, of: path, after: 3).days == stale.days)
    }

    @Test("If the report's days are not all fetched yet, or are before all data, the report has a warning")
    func unfinished() async throws {
        let path = folder.path("a.db")
        try await FileManager.default.copyItem(atPath: Self.path, toPath: path)
        #expect(try make(.latest(300), of: path).warnings.isEmpty)
        let history = try History(path)
        try history.transaction { database in
            _ = try database.run(
                "UPDATE sync_state SET is_complete = 0, oldest = date('2026-11-20', '-99 days') WHERE name = 'steps'")
        }
        history.close()
        let told = try make(.latest(300), of: path).warnings
        #expect(told.first?.contains("has not yet fetched 1 attribute back to") == true, "\(told)")
        // Days before all of the data lead to a warning, too.
        #expect(try !make(.between("1999-01-01".asDay, "1999-12-31".asDay), of: path).warnings.isEmpty)
    }
}
