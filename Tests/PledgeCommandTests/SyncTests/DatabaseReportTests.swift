import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeHistory

@Suite("`pledge report --database`", .timeLimit(.minutes(60)))
struct DatabaseReportTests {
    private func report(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> WeeklyReport {
        let run = try await Tool.run(["report", "--json"] + arguments, environment)
        #expect(run.status == 0, "\(run.errors)")
        return try JSONDecoder().decode(WeeklyReport.self, from: Data(run.output.utf8))
    }

    /// A database of both services, and the services.
    private struct Synced {
        let folder: TemporaryFolder
        let services: BothSandboxes
        let path: String
    }

    /// Synced once, for all tests.
    private static let whole = Task {
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes())
        let path = folder.path("a.db")
        let sync = try await Tool.run(["sync", path, "--quiet"], services.ownEnvironment)
        #expect(sync.status == 0, "\(sync.errors)")
        return Synced(folder: folder, services: services, path: path)
    }

    /// Returns a copy of the database.
    private func synced(_ folder: TemporaryFolder) async throws -> String {
        try FileManager.default.copyItem(atPath: await Self.whole.value.path, toPath: folder.path("a.db"))
        return folder.path("a.db")
    }

    @Test(
        "The report on a week is the same as from the services, and needs no account",
        arguments: [[], ["--mydatahelps"]])
    func sameAsOnline(service: [String]) async throws {
        let synced = try await Self.whole.value
        // A week that is over, at whatever time of day this runs.
        let last = ExistDay(Date(), in: .gmt).advanced(by: -8)
        let week = service + ["--from", "\(last.advanced(by: -6))", "--to", "\(last)"]
        let online = try await report(week, synced.services.ownEnvironment)
        var offline = try await report(week + ["--database", synced.path])
        #expect(offline.source.hasPrefix("a.db, synced "))
        offline.source = online.source
        #expect(offline == online)
        #expect(online.hasUsual == service.isEmpty)
        #expect(!online.groups.isEmpty && (service.isEmpty ? !online.insights.isEmpty : !online.lists.isEmpty))
    }

    @Test("A month is drawn by day, a year by week, and more by month, as text and as a page")
    func periods() async throws {
        let folder = try TemporaryFolder()
        let path = try await synced(folder)
        let today = ExistDay(Date(), in: .gmt)
        let lastMonth = today.advanced(by: -today.day)
        let month = try await report(["--database", path, "--month", String("\(lastMonth)".prefix(7))])
        #expect(month.days.count == lastMonth.day && month.days.last == lastMonth && !month.endsToday)
        #expect(month.title == "A month" && !month.notes.contains { $0.hasPrefix("Charts are drawn by") })

        let year = ["report", "--database", path, "--days", "365"]
        let text = try await Tool.run(year)
        #expect(text.output.contains("Charts are drawn by week"), "\(text.errors)")
        #expect(text.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(text.output.contains("earlier ones are in --json."))
        let page = folder.path("year.html")
        #expect(try await Tool.run(year + ["--html", page]).status == 0)
        #expect(folder.text("year.html").contains(" a day</title>"))
        let long = try await Tool.run(["report", "--database", path, "--from", "\(today.advanced(by: -700))"])
        #expect(long.output.contains("Charts are drawn by month"))
        let future = try await Tool.run(["report", "--database", path, "--year", "\(today.year + 2)"])
        #expect(future.status == 64 && future.errors.contains("is not in the database, which was last synced on"))
    }

    @Test("One of several accounts must be named, and the errors explain which ones there are")
    func accounts() async throws {
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes())
        let file = try folder.file("accounts.jsonl", holding: services.line(1) + "\n" + services.line(3) + "\n").path
        let path = folder.path("study.db")
        let sync = try await Tool.run(
            ["sync", file, "--database", path, "--rate=100000"], services.environment)
        #expect(sync.status == 0, "\(sync.errors)")
        let none = try await Tool.run(["report", "--database", path])
        #expect(none.status == 64 && none.errors.contains("2 accounts, such as “a1”, “a3”: choose one with --account"))
        let wrong = try await Tool.run(["report", "--database", path, "--account", "a2"])
        #expect(wrong.status == 64 && wrong.errors.contains("no account “a2” of Exist"))
        let other = try await Tool.run(["report", "--database", path, "--mydatahelps"])
        #expect(other.status == 64 && other.errors.contains("but one of Exist: leave out --mydatahelps"))
        #expect(try await report(["--database", path, "--account", "a3"]).person == "Maya Lindqvist")
    }

    @Test("Data invented by the demo is labeled so forever, and a job can refuse it")
    func demo() async throws {
        let folder = try TemporaryFolder()
        #expect(try await Tool.run(["sync", folder.path("a.db"), "--quiet"]).status == 0)
        for service in [[], ["--mydatahelps"]] {
            let arguments = ["report", "--database", folder.path("a.db")] + service
            #expect(try await Tool.run(arguments).output.hasPrefix("DEMO: sample data"))
            let job = try await Tool.run(arguments + ["--no-demo"])
            #expect(job.status == 64 && job.errors.contains("only the demo's sample data"))
        }
    }

    @Test(
        "Invalid arguments are explained",
        arguments: [
            (["--write"], "--write applies to a service"), (["--profile", "work"], "--profile applies to a service"),
            (["--month", "2026-13"], "a month such as 2026-10"), (["--year", "26"], "a year such as 2026"),
            (["--month", "2026-10", "--year", "2026"], "--month and --year select different days"),
        ])
    func usage(arguments: [String], words: String) async throws {
        let run = try await Tool.run(["report", "--database", "a.db"] + arguments)
        #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
    }

    @Test("Without a database, a year is too long, and `--account` is rejected")
    func withoutDatabase() async throws {
        let year = try await Tool.run(["report", "--year", "2025"])
        #expect(year.status == 64 && year.errors.contains("create a database with “pledge sync”"))
        let account = try await Tool.run(["report", "--account", "a1"])
        #expect(account.status == 64 && account.errors.contains("--account requires --database"))
    }

    @Test("A file without a history is an error, and none is created")
    func unusable() async throws {
        let folder = try TemporaryFolder()
        let missing = try await Tool.run(["report", "--database", folder.path("none.db")])
        #expect(missing.status == 1 && missing.errors.contains("create it with “pledge sync"), "\(missing.errors)")
        try folder.file("empty.db", holding: "")
        let empty = try await Tool.run(["report", "--database", folder.path("empty.db")])
        #expect(empty.status == 1 && empty.errors.contains("fill it with “pledge sync"), "\(empty.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["empty.db"])
    }

    @Test("A file that would overwrite a database is rejected")
    func overwriting() async throws {
        let folder = try TemporaryFolder()
        let path = try await synced(folder)
        let old = try Data(contentsOf: folder.url.appendingPathComponent("a.db"))
        for arguments in [["report", "--database", path, "--html", path], ["report", "--html", path]] {
            let run = try await Tool.run(arguments)
            #expect(
                run.status == 64 && run.errors.contains("is a SQLite database, which would be overwritten"),
                "\(run.errors)")
        }
        let lines = try folder.file("accounts.jsonl", holding: #"{"service":"exist","account":"a","token":"t"}"#).path
        for option in ["--output", "--summary"] {
            let run = try await Tool.run(["export", lines, option, path])
            #expect(run.status == 64 && run.errors.contains("is a SQLite database"), "\(run.errors)")
        }
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("a.db")) == old)
    }

    @Test("Days before the first value are an error, not an empty report")
    func beforeTheBeginning() async throws {
        let folder = try TemporaryFolder()
        let path = try await synced(folder)
        let run = try await Tool.run(["report", "--database", path, "--year", "1999"])
        #expect(run.status == 64 && run.errors.contains("has no values before 20"), "\(run.errors)")
    }

    @Test("Days after the last sync are left out, and the day of that sync does not count as whole")
    func stale() async throws {
        let folder = try TemporaryFolder()
        let path = try await synced(folder)
        let now = Date()
        func make(_ choice: ReportSpan.Choice, after days: Double) throws -> WeeklyReport {
            try DatabaseReport(path: path, choice: choice, service: .exist, zone: .gmt, now: now + days * 86_400).make()
        }
        let (fresh, stale) = (try make(.latest(7), after: 0), try make(.latest(7), after: 3))
        #expect(fresh.days == stale.days && fresh.endsToday && !stale.endsToday)
        #expect(!stale.correlations.isEmpty && stale.groups == fresh.groups)
        #expect(stale.groups.flatMap(\.attributes).contains { $0.soFar })
        #expect(try make(.between(nil, ExistDay(now, in: .gmt).advanced(by: 3)), after: 3).days == stale.days)
    }

    @Test("Values that a first sync has not reached yet do not count as missing")
    func unfinished() async throws {
        let folder = try TemporaryFolder()
        let path = try await synced(folder)
        let choice = ReportSpan.Choice.latest(300)
        func warnings() throws -> [String] {
            try DatabaseReport(path: path, choice: choice, service: .exist, zone: .gmt, now: Date()).make().warnings
        }
        #expect(try warnings().isEmpty)
        let history = try History(path)
        try history.write { database in
            _ = try database.run(
                "UPDATE sync_state SET is_complete = 0, oldest = date('now', '-99 days') WHERE name = 'steps'")
        }
        history.close()
        let told = try warnings()
        #expect(told.first?.contains("has not yet fetched 1 attribute back to") == true, "\(told)")
        // Neither do those before all of them.
        let year = ReportSpan.Choice.between(ExistDay("1999-01-01"), ExistDay("1999-12-31"))
        #expect(
            try !DatabaseReport(path: path, choice: year, service: .exist, zone: .gmt, now: Date()).make().warnings
                .isEmpty)
    }
}
