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
