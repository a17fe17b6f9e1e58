import Foundation
import GRDB
@testable import PledgeHistory

/// A program that fills a table with values.
protocol Contender {
    var name: String { get }
    func insert(_ values: Values, into file: String) throws
}

/// Writes values as a sync does, except that it doesn't read responses. It compares them with the stored values, and
/// counts the changes.
struct OwnContender: Contender {
    let name = "PledgeHistory"

    func insert(_ values: Values, into file: String) throws {
        let history = try History(file)
        for (month, days) in values.months.enumerated() {
            let last = SQLValue.text(days[days.count - 1])
            try history.transaction { database in
                for (place, attribute) in values.attributes.enumerated() {
                    let rows = days.enumerated().map { index, day -> [SQLValue] in
                        [1, .text(attribute), .text(day), .integer(values.value(place, month, index))]
                    }
                    let part = Table.Part(
                        key: [1, .text(attribute)], condition: "day BETWEEN ? AND ?", values: [.text(days[0]), last])
                    let (_, gone) = try database.put(rows, into: "value", comparing: part)
                    try database.remove(gone, from: database.table("value"), on: last)
                }
            }
        }
        history.close()
    }
}

/// Runs `sqlite3 FILE ".import --csv …"` in its own process.
struct ShellContender: Contender {
    let name = "sqlite3 shell"
    let csv: URL

    struct Failed: Error {}

    func insert(_ values: Values, into file: String) throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = ["sqlite3", file, "PRAGMA synchronous = NORMAL", ".import --csv \(csv.path) value"]
        try shell.run()
        shell.waitUntilExit()
        guard shell.terminationStatus == 0 else { throw Failed() }
    }
}

/// Executes a prepared statement for each row, and a transaction for each month, as GRDB's documentation recommends.
struct GRDBContender: Contender {
    let name = "GRDB"

    func insert(_ values: Values, into file: String) throws {
        let queue = try DatabaseQueue(path: file)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        for (month, days) in values.months.enumerated() {
            try queue.write { database in
                let statement = try database.cachedStatement(
                    sql: "INSERT OR IGNORE INTO value (account, attribute, day, value) VALUES (?, ?, ?, ?)")
                for (place, attribute) in values.attributes.enumerated() {
                    for (index, day) in days.enumerated() {
                        try statement.execute(arguments: [1, attribute, day, values.value(place, month, index)])
                    }
                }
            }
        }
        try queue.close()
    }
}

/// Creates a history with the attributes, but without values.
func prepare(_ file: String, _ values: Values) throws {
    try History(file).close()
    let queue = try DatabaseQueue(path: file)
    try queue.write { database in
        try database.execute(sql: "INSERT INTO account (id, service, name) VALUES (1, 'exist', 'maya')")
        for attribute in values.attributes {
            try database.execute(
                sql: """
                    INSERT INTO attribute (account, name, label, group_name, group_label, group_priority, priority, value_type)
                    VALUES (1, ?, 'Label', 'group', 'Group', 1, 1, 0)
                    """, arguments: [attribute])
        }
    }
    try queue.close()
}

struct WrongCount: Error {
    var found: Int
}

func check(_ file: String, _ values: Values) throws {
    let history = try History(reading: file)
    defer { history.close() }
    let found = try history.query("SELECT count(*) FROM value").rows[0][0].integer ?? 0
    guard found == values.count else { throw WrongCount(found: found) }
}
