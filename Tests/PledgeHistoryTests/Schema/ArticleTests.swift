import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("The article on the tables", .timeLimit(.minutes(60)))
struct ArticleTests {
    private let scratch: TemporaryFolder
    private let history: History

    init() throws {
        scratch = try TemporaryFolder()
        history = try History(scratch.path("a.db"))
    }

    private static let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Sources/PledgeHistory/PledgeHistory.docc/Tables.md")

    @Test("Its ten queries run, and each returns rows")
    func queries() async throws {
        try await ExistBench().sync(history)
        try await ParticipantBench().sync(history)
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let queries = text.components(separatedBy: "```sql\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(queries.count == 10)
        for query in queries {
            let answer = try history.query(query)
            #expect(!answer.rows.isEmpty, "\(query)")
            #expect(answer.rows.contains { !$0.contains(.null) }, "\(query)")
        }
    }

    @Test("It names every table and view with its key")
    func tables() throws {
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let names = try history.query(
            """
            SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name <> 'sqlite_sequence' ORDER BY name
            """
        ).rows
        #expect(names.count == 18)
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
        "Its weeks are those of ISO 8601, even around New Year",
        arguments: [
            ("2026-11-20", "2026-W47", "2026-11-16"), ("2027-01-03", "2026-W53", "2026-12-28"),
            ("2025-12-29", "2026-W01", "2025-12-29"), ("2023-01-01", "2022-W52", "2022-12-26"),
        ])
    func weeks(_ day: String, _ week: String, _ monday: String) throws {
        try history.write { database in
            try database.run("INSERT INTO account (id, service, name) VALUES (1, 'exist', 'maya')")
            _ = try database.put(
                [[1, "steps", "Steps", "activity", "Activity", 1, 1, nil, 0, nil, nil, nil, 0, 1]],
                into: "attribute")
            _ = try database.put([[1, "steps", .text(day), 5]], into: "value")
        }
        #expect(try history.query("SELECT week, monday, total FROM weekly").rows == [[.text(week), .text(monday), 5]])
    }
}
