import Foundation
import GRDB
@testable import PledgeHistory

/// What an operator does with a database of many accounts, after one night and after a year of them.
struct Nights {
    let pledge: String
    let accounts: Int
    let folder: URL

    private static let queries = [
        "SELECT * FROM daily WHERE account = 'p-17'", "SELECT * FROM weekly WHERE account = 'p-17'",
        """
        SELECT service, name, kind, error FROM account
        JOIN sync_run ON sync_run.id = (SELECT max(id) FROM sync_run WHERE account = account.id)
        WHERE outcome <> 'done' OR kind NOTNULL ORDER BY kind
        """,
    ]

    /// Fills a database as that many nights do, without asking a service.
    func fill(_ file: String, nights: Int) throws {
        let history = try History(file)
        for _ in 0..<nights {
            for number in 0..<accounts {
                try SyncRun(history, service: "exist", name: "p-\(number)", options: SyncOptions()).end("done")
            }
        }
        history.close()
        let queue = try DatabaseQueue(path: file)
        try queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO attribute (account, name, label, group_name, group_label, group_priority, priority, value_type)
                    SELECT id, 'steps', 'Steps', 'activity', 'Activity', 1, 1, 0 FROM account;
                    INSERT INTO value (account, attribute, day, value)
                    WITH RECURSIVE days (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM days WHERE number < 99)
                    SELECT id, 'steps', date('2026-08-01', number || ' days'), number FROM account CROSS JOIN days
                    """)
        }
        try queue.close()
    }

    /// The CPU seconds of each task, by its name.
    func measure(_ file: String) throws -> [(name: String, seconds: Double)] {
        var times: [(name: String, seconds: Double)] = []
        func measured(_ name: String, _ task: () throws -> Void) rethrows {
            let before = cpuSeconds()
            try task()
            times.append((name, cpuSeconds() - before))
        }
        let history = try History(reading: file)
        for query in Self.queries { try measured("\(query.prefix(40))…") { _ = try history.query(query) } }
        history.close()
        try measured("pledge report") {
            try run("report", "--database", file, "--account", "p-17", "--month", "2026-10")
        }
        try measured("pledge forget") { try run("forget", "p-18", "--database", file) }
        return times
    }

    private func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: pledge)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(command: arguments[0]) }
    }

    struct Failed: Error { let command: String }

    /// - Returns: Whether no task takes more than twice its time after one night.
    func compare(_ nights: Int) throws -> Bool {
        let (one, all) = (folder.appendingPathComponent("1.db").path, folder.appendingPathComponent("all.db").path)
        try fill(one, nights: 1)
        try fill(all, nights: nights)
        var isGood = true
        for (before, after) in zip(try measure(one), try measure(all)) {
            // Below a hundredth of a second, the clock decides.
            let ratio = max(after.seconds, 0.01) / max(before.seconds, 0.01)
            print(
                "\(after.name): \(shown(before.seconds)) s, after \(nights) nights \(shown(after.seconds)) s, at most twice"
            )
            isGood = isGood && ratio <= 2
        }
        return isGood
    }
}
