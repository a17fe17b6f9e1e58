import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("File formats")
struct FormatTests {
    private static let rows = """
        INSERT INTO account (id, service, name, username, day) VALUES (3, 'exist', 'maya', 'maya', '2026-11-20');
        INSERT INTO attribute VALUES (3, 'a', 'A', 'g', 'G', 1, 1, NULL, 0, NULL, NULL, NULL, 0, 1, NULL);
        INSERT INTO value (account, attribute, day, value) VALUES (3, 'a', '2026-11-20', 5);
        INSERT INTO device_data_point (account, id, namespace, type, value, inserted, modified, properties)
            VALUES (3, 'p', 'Project', 't', 7.5, '', '', '{}');
        INSERT INTO sync_run (account, started, outcome) VALUES (3, '2026-11-20T07:30:00.000000Z', 'done');
        """

    @Test("Every table with an account's rows is known to the schema, and each list has a readable title")
    func tables() throws {
        let database = try Database.inMemory()
        try database.runAll(Schema.script)
        let tables = try database.rows(
            """
            SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' AND columns.name = 'account'
            """)
        #expect(Set(tables.compactMap(\.[0].text)) == Set(Schema.children))
        let lists: Set<String> = Set(Schema.children).subtracting(["participant", "sync_run", "sync_state"])
        #expect(Set(ListName.titles.keys) == lists)
        for list in lists {
            #expect("\(ListName(list))" == "The \(ListName.titles[list] ?? "")" && "\(ListName(list))".count > 9)
        }
        #expect(
            "\(ListName("value", "steps"))" == "The values of “steps”" && ListName("value", "s").label == "value (s)")
        #expect("\(ListName("device_data_point", "Fitbit"))" == "The device data of Fitbit")
        #expect("\(ListName("device_data_point_v2", "Oura/sleep"))" == "The device data (version 2) of Oura/sleep")
    }

    @Test(
        "A file in any released format is migrated with all its data",
        arguments: 1...Schema.format)
    func released(_ format: Int) throws {
        let fixture = Repository.file("Tests/PledgeHistoryTests/Fixtures/format-\(format).db")
        let scratch = try TemporaryFolder()
        let path = scratch.path("a.db")
        // Makes the file of a new format only on request. Once the format is released, its file must never change.
        if Outputs.isRenewed, !FileManager.default.fileExists(atPath: fixture.path) {
            let new = try History(fixture.path)
            try new.transaction { try $0.runAll(Self.rows) }
            new.close()
        }
        try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
        #expect(chmod(path, 0o600) == 0)
        let history = try History(path)
        #expect(
            try history.query("SELECT id, name, username, day FROM account").rows == [
                [3, "maya", "maya", "2026-11-20"]
            ])
        #expect(try history.query("SELECT account, value FROM latest").rows == [["maya", 5]])
        #expect(try history.query("SELECT value, value_text FROM device_data_point").rows == [[.real(7.5), .null]])
        #expect(try history.query("SELECT outcome, kind FROM sync_run").rows == [["done", .null]])
        #expect(try history.withDatabase { try $0.rows("PRAGMA foreign_key_check") }.isEmpty)
        #expect(try history.query("PRAGMA integrity_check").rows == [["ok"]])
        #expect(throws: DatabaseError.self) {
            // Account 99 doesn't exist, and the database enforces foreign keys.
            try history.transaction { _ = try $0.run("INSERT INTO sync_run (account, started) VALUES (99, '')") }
        }
        try history.transaction { _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', 'noah')") }
        #expect(try history.query("SELECT max(id) FROM account").rows == [[4]])
        history.close()
        #expect(try History(reading: path).query("SELECT count(*) FROM account").rows == [[2]])
    }
}
