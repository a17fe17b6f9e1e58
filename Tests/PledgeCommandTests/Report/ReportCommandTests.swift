import Testing

@testable import PledgeCommand

@Suite("`pledge report`", .serialized)
final class ReportCommandTests: ToolSuite {
    init() throws { try super.init() }

    @Test("If an item can't be read, a report says which one, and exits with code 4", arguments: [[], ["--json"]])
    func unreadable(form: [String]) async throws {
        sandboxes.server.script.next(
            .max, matching: "GET /api/2/insights/",
            respond: .json(["count": 1, "next": nil, "previous": nil, "results": [["text": 1]]]))
        let run = try await run(["report"] + form, exits: 4)
        #expect(run.output.contains("In insights/, "), "\(run.output)")
    }

    @Test("As JSON, a report has exactly the days of its span, and no past day counts as today")
    func spans() async throws {
        for more in [
            ["--from", "2026-09-28", "--through", "2026-10-04"], ["--week", "2026-W40"], ["--through", "2026-10-04"],
        ] {
            let report: Report = try await Tool.run(["report", "--demo", "--json"] + more).json()
            #expect(report.days.first == "2026-09-28".asDay && report.days.last == "2026-10-04".asDay)
            #expect(report.days.count == 7 && !report.endsToday && report.correlations.isEmpty)
            #expect(report.groups.flatMap(\.attributes).allSatisfy { !$0.soFar })
        }
        let day = try await Tool.run(["report", "--all", "--from", "2026-10-04", "--through", "2026-10-04"])
        #expect(day.output.contains("on this day"), "\(day.output)")
        for (more, count) in [([], 7), (["--days", "31"], 31)] {
            let report: Report = try await Tool.run(["report", "--demo", "--json"] + more).json()
            let attributes = report.groups.flatMap(\.attributes)
            #expect(report.days.count == count && report.endsToday && report.warnings.isEmpty)
            #expect(attributes.count > 30 && attributes.contains { $0.summary?.before != nil })
            #expect(attributes.allSatisfy { $0.texts != nil || $0.week.count == count })
            let strengths = report.correlations.map { abs($0.percentage) }
            #expect(strengths.count > 1 && strengths == strengths.sorted(by: >))
        }
    }
}
