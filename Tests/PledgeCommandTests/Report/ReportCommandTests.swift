import ExistKit
import Foundation
import PledgeSandbox
import Testing

@testable import PledgeCommand

@Suite("`pledge report`", .serialized)
final class ReportCommandTests: ToolSuite {
    @Test("`--json` prints the report as JSON and nothing else (defect 5 of the older client)")
    func json() async throws {
        let report: WeeklyReport = try await Tool.run("report --json").json()

        #expect(report.days.count == 7)
        #expect(report.groups.flatMap(\.attributes).count > 30)
        #expect(report.groups.flatMap(\.attributes).allSatisfy { $0.texts != nil || $0.week.count == 7 })
        let strengths = report.correlations.map { abs($0.percentage) }
        #expect(strengths == strengths.sorted(by: >))
        #expect(report.warnings.isEmpty)
    }

    @Test("A past week is compared with the averages that were valid in it")
    func usualThen() async throws {
        let last = ExistDay(Date(), in: .gmt).advanced(by: -40)
        let report: WeeklyReport = try await run(["report", "--json", "--through", "\(last)"]).json()

        let existAPI = ExistAPI(token: sandboxes.exist.token, timeout: 600, baseURL: sandboxes.server.baseURL)
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

    #if os(Linux)
        @Test(
            "Requests to this machine bypass every proxy, whatever the environment specifies",
            arguments: ["curl", "urlsession"])
        func proxy(name: String) async throws {
            let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"]
            var proxies = Dictionary(uniqueKeysWithValues: names.map { ($0, "http://127.0.0.1:1/") })
            proxies["PLEDGE_TRANSPORT"] = name
            try await Tool.launch(["report"], sandboxes.ownEnvironment.merging(proxies) { $1 })
        }
    #endif

    @Test(
        "An invalid token and an unreachable host are explained in one line without the token, with exit code 1",
        arguments: [[], ["--mydatahelps"]])
    func failures(service: [String]) async throws {
        let wrong = ["EXIST_TOKEN": "s3cr3t", "MYDATAHELPS_TOKEN": "s3cr3t"]
        let refused = try await run(["report"] + service, with: wrong, exits: 1, saying: "the service answered 401")
        sandboxes.server.stop()
        let lost = try await run(["report"] + service, with: wrong, exits: 1, saying: "no connection could be made")
        for run in [refused, lost] {
            #expect(run.output.isEmpty && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            #expect(!run.errors.contains("s3cr3t"))
        }
    }

    @Test("Another span shows exactly its days, and no day counts as today unless it is")
    func spans() async throws {
        for more in [
            ["--from", "2026-09-28", "--through", "2026-10-04"], ["--week", "2026-W40"], ["--through", "2026-10-04"],
        ] {
            let report: WeeklyReport = try await Tool.run(["report", "--json"] + more).json()
            #expect(report.days.first == "2026-09-28".asDay && report.days.last == "2026-10-04".asDay)
            #expect(report.days.count == 7 && !report.endsToday && report.correlations.isEmpty)
            #expect(report.groups.flatMap(\.attributes).allSatisfy { !$0.soFar })
        }
        let report: WeeklyReport = try await Tool.run("report --json --days 31").json()
        #expect(report.days.count == 31 && report.endsToday)
        #expect(report.groups.flatMap(\.attributes).contains { $0.summary?.before != nil })
    }
}
