import ExistKit
import Foundation
import PledgeSandbox
import Testing

@testable import PledgeCommand

@Suite("`pledge report`", .serialized)
struct ReportCommandTests {
    @Test("Without a token, the report is from the sandbox, and labeled as such")
    func sandbox() async throws {
        let run = try await Tool.run(["report"])

        #expect(run.status == 0)
        #expect(run.errors.contains("EXIST_TOKEN is not set"))
        #expect(run.output.contains("the built-in sandbox"))
        // It only reads, and does not say otherwise.
        #expect(!run.output.contains("written"))
        for heading in ["Activity", "Sleep", "Mood", "Correlations", "Insights"] {
            #expect(run.output.contains("\n\(heading)"), "\(heading)")
        }
        #expect(run.output.split(separator: "\n").allSatisfy { String($0).columns <= 80 })
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test("`--json` prints the report as JSON and nothing else (defect 5 of the older client)")
    func json() async throws {
        let run = try await Tool.run(["report", "--json", "--write", "--mood", "4"])

        let report = try JSONDecoder().decode(WeeklyReport.self, from: Data(run.output.utf8))
        #expect(report.days.count == 7)
        #expect(report.checkIn?.written == 4)
        #expect(report.checkIn?.readBack == 4)
        #expect(report.groups.flatMap(\.attributes).count > 30)
        #expect(report.groups.flatMap(\.attributes).allSatisfy { $0.texts != nil || $0.week.count == 7 })
        #expect(
            report.correlations.map { abs($0.percentage) }
                == report.correlations.map { abs($0.percentage) }.sorted(by: >))
        #expect(report.warnings.isEmpty)
    }

    @Test("`--html` writes one page that needs no other files")
    func html() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).html")
        defer { try? FileManager.default.removeItem(at: file) }

        let run = try await Tool.run(["report", "--html", file.path])

        #expect(run.status == 0)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("Wrote \(file.path)."))
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(page.hasPrefix("<!doctype html>"))
        #expect(page.contains("<svg"))
        #expect(!page.contains("<script") && !page.contains("src=\"http"))
    }

    @Test("With a token, the report is read from `EXIST_BASE_URL`, and nothing is written")
    func readsOnly() async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }

        let run = try await Tool.run(["report"], sandbox.environment)

        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
        #expect(run.output.contains("127.0.0.1"))
        for format in [["--json"], ["--html", "-"]] {
            let other = try await Tool.run(["report"] + format, sandbox.environment)
            #expect(!(other.output + other.errors).contains(sandbox.token))
        }
        #expect(!run.output.contains("written") && !run.output.contains(sandbox.token))
        #expect(sandbox.server.requests.allSatisfy { $0.method == "GET" })
        #expect(!sandbox.server.requests.isEmpty)
    }

    @Test("A past week is compared with the averages that were valid in it")
    func usualThen() async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }
        let last = ExistDay(Date(), in: .gmt).advanced(by: -40)
        let run = try await Tool.run(["report", "--json", "--to", "\(last)"], sandbox.environment)
        let report = try JSONDecoder().decode(WeeklyReport.self, from: Data(run.output.utf8))

        let existAPI = ExistAPI(token: sandbox.token, timeout: 600, baseURL: sandbox.baseURL)
        let old = try await existAPI.averages(
            for: "steps", includeHistorical: true, from: last.advanced(by: -6), through: last
        ).value.averages
        let new = try await existAPI.averages(for: "steps").value.averages
        let steps = try #require(report.groups.flatMap(\.attributes).first { $0.name == "steps" })
        #expect(old.count == 1 && new.count == 1)
        #expect(steps.usual == report.days.map { old.first?[$0.weekday] })
        #expect(steps.usual != report.days.map { new.first?[$0.weekday] })
        #expect(report.notes.contains { $0.contains("the average at the time") })
    }

    @Test("With `--write`, mood is acquired, stored, and read back")
    func writes() async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }

        let run = try await Tool.run(["report", "--write", "--mood=8"], sandbox.environment)

        #expect(run.output.contains("Mood 8 written for today and read back."), "\(run.errors)")
        #expect(
            sandbox.server.requests.filter { $0.method == "POST" }.map(\.path) == [
                "/api/2/attributes/acquire/", "/api/2/attributes/update/",
            ])
    }

    @Test("A simple token is sufficient for reading")
    func simpleToken() async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }

        let run = try await Tool.run(
            ["report", "--token-kind", "simple"],
            ["EXIST_TOKEN": sandbox.simpleToken, "EXIST_BASE_URL": sandbox.baseURL.absoluteString])

        #expect(run.status == 0, "\(run.errors)")
    }

    @Test("Either transport can fetch the report", arguments: ["curl", "urlsession"])
    func transport(name: String) async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }

        let run = try await Tool.run(["report", "--transport", name], sandbox.environment)

        #expect(run.status == 0, "\(run.errors)")
    }

    #if os(Linux)
        @Test(
            "Requests to this machine bypass every proxy, whatever the environment specifies",
            arguments: ["curl", "urlsession"])
        func proxy(name: String) async throws {
            let sandbox = try ExistSandbox.start()
            defer { sandbox.stop() }
            let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"]
            let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "http://127.0.0.1:1/") })
                .merging(sandbox.environment) { $1 }

            let run = try await Tool.launch(["report", "--transport", name], environment)

            #expect(run.status == 0, "\(run.errors)")
        }
    #endif

    @Test("An invalid token is explained in one line without the token, with exit code 1")
    func badToken() async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }

        let run = try await Tool.run(
            ["report"], ["EXIST_TOKEN": "s3cr3t", "EXIST_BASE_URL": sandbox.baseURL.absoluteString])

        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.errors.contains("the service answered 401"))
        #expect(run.errors.contains("Check EXIST_TOKEN"))
        #expect(!run.errors.contains("s3cr3t"))
    }

    @Test("An unreachable host is explained in one line, with exit code 1")
    func unreachable() async throws {
        let sandbox = try ExistSandbox.start()
        let address = sandbox.baseURL.absoluteString
        sandbox.stop()

        let run = try await Tool.run(["report"], ["EXIST_TOKEN": "x", "EXIST_BASE_URL": address])

        #expect(run.status == 1)
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.errors.contains("no connection could be made"))
    }

    @Test(
        "Invalid arguments are explained in one line, with exit code 64",
        arguments: [
            (["report", "--jsno"], "has no option “--jsno”"), (["report", "--html"], "--html needs a file"),
            (["report", "--mood", "11"], "from 1 to 9"), (["report", "--timeout", "soon"], "number of seconds"),
            (["report", "--token-kind", "magic"], "“bearer” or “simple”"),
            (["report", "--transport", "pigeon"], "“curl” or “urlsession”"), (["reprot"], "no command “reprot”"),
            ([], "No command"), (["report", "--json=yes"], "takes no value"),
            (["report", "--jsno"], "Did you mean “--json”?"), (["reprot"], "Did you mean “report”?"),
            (["report", "json"], "Did you mean “--json”?"),
            (["report", "--days", "32"], "from 1 to 31 without --database"),
            (["report", "--week", "2026-W54"], "a week such as 2026-W40"),
            (["report", "--days", "3", "--from", "2026-01-01"], "omit one"),
            (["report", "--from", "2026-02-01", "--to", "2026-01-01"], "swap them"),
            (["report", "--from", "2020-01-01", "--to", "2020-03-01"], "31 days at most"),
            (["report", "--year", "2020"], "31 days at most"), (["report", "--mood", "4"], "--mood requires --write"),
            (["report", "--plain", "--html", "-"], "omit one"), (["report", "--plain", "--json"], "omit one"),
        ])
    func usage(arguments: [String], words: String) async throws {
        let run = try await Tool.run(arguments)

        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test("Days in the future are rejected")
    func future() async throws {
        let run = try await Tool.run(["report", "--from", "9000-01-01"])
        #expect(run.status == 64 && run.errors.contains("9000-01-01 is in the future"))
        for arguments in [["--to", "9000-01-01"], ["--week", "9000-W01"], ["--month", "9000-01"]] {
            let run = try await Tool.run(["report"] + arguments)
            #expect(run.status == 64 && run.errors.contains("is in the future"), "\(run.errors)")
        }
    }

    @Test("Another span shows exactly its days, and no day counts as today unless it is")
    func spans() async throws {
        for (more, first, last, count) in [
            (["--from", "2026-09-28", "--to", "2026-10-04"], "2026-09-28", "2026-10-04", 7),
            (["--week", "2026-W40"], "2026-09-28", "2026-10-04", 7),
            (["--to", "2026-10-04"], "2026-09-28", "2026-10-04", 7),
        ] {
            let run = try await Tool.run(["report", "--json"] + more)
            let report = try JSONDecoder().decode(WeeklyReport.self, from: Data(run.output.utf8))
            #expect(report.days.first == first.asDay && report.days.last == last.asDay && report.days.count == count)
            #expect(!report.endsToday && report.correlations.isEmpty)
            #expect(report.groups.flatMap(\.attributes).allSatisfy { !$0.soFar })
        }
        let month = try await Tool.run(["report", "--json", "--days", "31"])
        let report = try JSONDecoder().decode(WeeklyReport.self, from: Data(month.output.utf8))
        #expect(report.days.count == 31 && report.endsToday)
        #expect(report.groups.flatMap(\.attributes).contains { $0.summary?.before != nil })
    }

    @Test("A base URL without a token, or one that is invalid, is rejected, too")
    func environment() async throws {
        let noToken = try await Tool.run(["report"], ["EXIST_BASE_URL": "https://exist.example/"])
        let noAddress = try await Tool.run(["report"], ["EXIST_TOKEN": "x", "EXIST_BASE_URL": "exist"])

        #expect(noToken.status == 64 && noToken.errors.contains("EXIST_TOKEN is not"))
        #expect(noAddress.status == 64 && noAddress.errors.contains("not a URL"))
    }

    @Test("Options without effect or in conflict are rejected before anything is sent")
    func contradictions() async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }
        let environment = sandbox.environment

        let moodOnly = try await Tool.run(["report", "--mood", "9"], environment)
        let both = try await Tool.run(["report", "--json", "--html", "-"], environment)
        let folder = try await Tool.run(["report", "--write", "--html", NSTemporaryDirectory()], environment)

        #expect(moodOnly.status == 64 && moodOnly.errors.contains("--mood requires --write"))
        #expect(both.status == 64 && both.errors.contains("standard output"))
        #expect(folder.status == 1 && folder.errors.contains("it is a folder"))
        #expect(sandbox.server.requests.isEmpty)
    }

    @Test("A file that cannot be written is explained in one line")
    func unwritable() async throws {
        let run = try await Tool.run(["report", "--html", "/nowhere/at/all.html"])

        #expect(run.status == 1)
        #expect(run.errors.contains("/nowhere/at/all.html cannot be written: there is no such folder"))
    }

    @Test("Help is printed on request")
    func help() async throws {
        for arguments in [["help"], ["--help"], ["report", "--help"], ["help", "report"]] {
            let run = try await Tool.run(arguments)
            #expect(run.status == 0)
            #expect(run.output.contains("EXIST_TOKEN") && run.errors.isEmpty)
        }
    }
}
