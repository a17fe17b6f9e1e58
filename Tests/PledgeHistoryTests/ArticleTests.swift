import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("The article on the tables")
struct ArticleTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    private static let article = "Sources/PledgeHistory/PledgeHistory.docc/Tables.md"

    private static func queries(in article: String) throws -> [String] {
        try Repository.text(article).components(separatedBy: "```sql\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
    }

    @Test("Each of the article's twelve queries runs and returns rows")
    func queries() async throws {
        try await ExistFixture().sync(history)
        try await ParticipantFixture(readsV2: true).sync(history)
        let queries = try Self.queries(in: Self.article)
        #expect(queries.count == 12)
        for query in queries {
            let answer = try history.query(query)
            #expect(!answer.rows.isEmpty, "\(query)")
            #expect(answer.rows.contains { !$0.contains(.null) }, "\(query)")
        }
    }

    /// Queries of each view with a condition on an indexed column, and other queries that an operator runs on a large
    /// database.
    private static let conditions =
        ["daily", "latest", "weekly"].flatMap { view in
            ["account", "attribute"].map { "SELECT * FROM \(view) WHERE \($0) = 'a'" }
        } + [
            "SELECT * FROM daily WHERE day = '2026-11-20'", "SELECT * FROM sync_run WHERE account = 1",
            "SELECT * FROM latest",
        ]

    @Test(
        "No query of the article or the runbook, and no filtered query of a view, scans a table that grows"
    )
    func plans() throws {
        let runbook = "Sources/PledgeCommand/PledgeCommand.docc/RunningNightly.md"
        for query in try Self.queries(in: Self.article) + Self.queries(in: runbook) + Self.conditions {
            let plan = try history.query("EXPLAIN QUERY PLAN \(query)").rows.map { "\($0[3])" }
            // Scanning the account table is fine, because it has few rows. Scanning `weekly` or a subquery is fine,
            // because SQLite has computed their rows for this query.
            let few = ["SCAN account", "SCAN weekly", "SCAN (subquery"]
            let scans = plan.filter { step in step.hasPrefix("SCAN ") && !few.contains { step.hasPrefix($0) } }
            #expect(scans.isEmpty && !plan.isEmpty, "\(query) \(plan)")
        }
    }

    @Test("For each account, the file keeps a fixed number of the newest runs")
    func runs() async throws {
        let fixture = try ExistFixture(isEmpty: true)
        for name in ["maya", "noah"] {
            for _ in 0..<SyncSession.runsKept + 2 { try await fixture.sync(history, as: name) }
        }
        #expect(
            try history.query("SELECT account, count(*), max(id) FROM sync_run GROUP BY account").rows == [
                [1, 30, 32], [2, 30, 64],
            ])
    }

    @Test("The article names every table and view with its key")
    func tables() throws {
        let text = try Repository.text(Self.article)
        let names = try history.query(
            """
            SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name <> 'sqlite_sequence' ORDER BY name
            """
        ).rows
        #expect(names.count == 19)
        for name in names {
            let table = name[0].text ?? ""
            let key = try history.query(
                "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [.text(table)]
            )
            .rows.map { "`\($0[0])`" }.joined(separator: ", ")
            let row = text.split(separator: "\n").first { $0.hasPrefix("| `\(table)` |") }
            #expect(row != nil && (key.isEmpty || row?.contains(key) == true), "\(table): \(key)")
        }
    }

    @Test(
        "The weeks in the views are those of ISO 8601, even around New Year",
        arguments: [
            ("2026-11-20", "2026-W47", "2026-11-16"), ("2027-01-03", "2026-W53", "2026-12-28"),
            ("2025-12-29", "2026-W01", "2025-12-29"), ("2023-01-01", "2022-W52", "2022-12-26"),
        ])
    func weeks(_ day: String, _ week: String, _ monday: String) throws {
        try history.transaction { database in
            try database.run("INSERT INTO account (id, service, name) VALUES (1, 'exist', 'maya')")
            try database.put(attribute: "steps", of: 1)
            _ = try database.put([[1, "steps", .text(day), 5]], into: "value")
        }
        #expect(try history.query("SELECT week, monday, total FROM weekly").rows == [[.text(week), .text(monday), 5]])
    }
}
