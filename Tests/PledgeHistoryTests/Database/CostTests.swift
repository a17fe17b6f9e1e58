import ExistKit
import Foundation
import PledgeLibraries
import PledgeTestSupport
import Testing

@testable import PledgeHistory

/// The cost of commands in a database with more accounts, more days, or more attributes. The cost is counted in steps
/// of SQLite's virtual machine, because their number, unlike the time, is the same in each run. Searching a table
/// without an index takes at least one step for each of its rows.
@Suite("The cost of a history")
struct CostTests {
    /// Counts the steps of SQLite's virtual machine in a history's connections.
    private final class Steps {
        private typealias Callback = @convention(c) (UnsafeMutableRawPointer?) -> CInt
        private typealias Install = @convention(c) (OpaquePointer?, CInt, Callback?, UnsafeMutableRawPointer?) -> Void

        private let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        private let history: History
        private let install: Install

        init(_ history: History) throws {
            self.history = history
            count.initialize(to: 0)
            let symbol = dlsym(dlopen(pledge_sqlite_library, RTLD_NOW), "sqlite3_progress_handler")
            install = unsafeBitCast(try #require(symbol), to: Install.self)
            _ = try history.query("SELECT 1")
            setHandler { count in
                count?.assumingMemoryBound(to: Int.self).pointee += 1
                return 0
            }
        }

        deinit {
            setHandler(nil)
            count.deallocate()
        }

        private func setHandler(_ callback: Callback?) {
            for database in history.connections.withLock({ $0 }) { install(database.handle, 1, callback, count) }
        }

        func during(_ work: () throws -> Void) rethrows -> Double {
            count.pointee = 0
            try work()
            return Double(count.pointee)
        }
    }

    private struct Size {
        var accounts = 8
        var attributes = 2
        var days = 31
    }

    /// Returns a history of the given size. Each account has attributes, days of values, and as many runs as a history
    /// keeps.
    private func history(_ size: Size, in folder: TemporaryFolder) throws -> History {
        let history = try History(folder.path("\(UUID()).db"))
        let sizes = [size.accounts, size.attributes, size.days, SyncSession.runsKept].map { SQLValue.integer($0) }
        let numbers = ["accounts", "attributes", "days", "nights"].enumerated().map { index, name in
            "\(name) (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM \(name) WHERE n < ?\(index + 1))"
        }
        try history.transaction { database in
            for insertion in [
                "INSERT INTO account (id, service, name) SELECT n, 'exist', 'p-' || n FROM accounts",
                """
                INSERT INTO sync_run (account, started, outcome)
                SELECT accounts.n, date('2026-10-01', nights.n || ' days'), 'done' FROM nights CROSS JOIN accounts
                """,
                """
                INSERT INTO attribute (account, name, label, group_name, group_label, group_priority, priority, value_type)
                SELECT accounts.n, 'a' || attributes.n, '', '', '', 1, 1, 0 FROM accounts CROSS JOIN attributes
                """,
                """
                INSERT INTO value (account, attribute, day, value)
                SELECT accounts.n, 'a' || attributes.n, date('2026-11-21', -days.n || ' days'), days.n
                FROM accounts CROSS JOIN attributes CROSS JOIN days
                """,
                """
                INSERT INTO sync_state (account, list, name, bookmark, oldest, is_complete)
                SELECT accounts.n, 'value', 'a' || attributes.n, '2026-11-20', '2016-01-01', 1
                FROM accounts CROSS JOIN attributes
                """,
            ] { try database.run("WITH RECURSIVE \(numbers.joined(separator: ", ")) \(insertion)", sizes) }
        }
        return history
    }

    /// Returns the number of steps that each command takes. Most of the commands concern a single account.
    private func costs(_ size: Size, in folder: TemporaryFolder) throws -> [String: Double] {
        let history = try history(size, in: folder)
        let steps = try Steps(history)
        let last = ExistDay(Date.friday, in: .gmt)
        let first = last.advanced(by: -30)
        let account = try #require(AccountReader.all(of: .exist, in: history).first { $0.name == "p-7" })
        let night: [[SQLValue]] = (0...30).map { [7, "a1", SQLValue(last.advanced(by: -$0)), 0] }
        return try [
            "list of accounts": steps.during { _ = try AccountReader.all(of: .exist, in: history) },
            "failed accounts": steps.during { _ = try history.failures() },
            "report": steps.during {
                _ = try (account.attributes(from: first, through: last), account.averages(), account.correlations())
                _ = try (account.insights(from: first, through: last), account.firstDay())
                _ = try account.unfinished(since: first)
            },
            "daily": steps.during { _ = try history.query("SELECT * FROM daily WHERE account = 'p-7'") },
            "weekly": steps.during { _ = try history.query("SELECT * FROM weekly WHERE account = 'p-7'") },
            "latest": steps.during { _ = try history.query("SELECT * FROM latest WHERE account = 'p-7'") },
            "plan": steps.during { _ = try history.withDatabase { try $0.states(of: "value", account: 7) } },
            "run": steps.during {
                try SyncSession.begin(in: history, .exist, as: "p-7", options: SyncOptions()) { 0 }.end("done")
            },
            "month of values": steps.during {
                let part = Table.Part(
                    key: [7, "a1"], condition: "day BETWEEN ? AND ?", values: [night[30][2], night[0][2]])
                let (count, gone) = try history.transaction { try $0.put(night, into: "value", comparing: part) }
                #expect(count.changed == 31 && gone.isEmpty)
            },
            "state of an attribute": steps.during {
                let state = SyncState(bookmark: "2026-11-21", oldest: "2016-01-01", isComplete: true)
                try history.transaction { try $0.put(state, of: ListName("value", "a1"), account: 7) }
            },
            "forget": steps.during {
                let erased = try history.erase("p-7", of: .exist)
                #expect(erased?["attribute"] == size.attributes)
            },
        ]
    }

    /// The sizes that grow in the test, such as the number of days. Each has the factor by which it grows, and the
    /// commands whose cost may grow by the same factor.
    private static var directions: [(large: WritableKeyPath<Size, Int>, times: Int, growing: Set<String>)] {
        [
            (\.accounts, 60, ["list of accounts", "failed accounts"]),
            // About ten years of values.
            (\.days, 118, ["report", "daily", "weekly", "forget"]),
            (\.attributes, 200, ["report", "daily", "weekly", "latest", "plan", "forget"]),
        ]
    }

    @Test(
        "A command for one account costs the same with more accounts, and at most linearly more with more data")
    func directions() throws {
        let folder = try TemporaryFolder()
        let small = try costs(Size(), in: folder)
        #expect(small.values.allSatisfy { $0 > 0 })
        for (path, times, growing) in Self.directions {
            var size = Size()
            size[keyPath: path] *= times
            for (name, cost) in try costs(size, in: folder) {
                let limit = 1.3 * (small[name] ?? 0) * (growing.contains(name) ? Double(times) : 1)
                #expect(cost <= limit, "\(name), with \(times) times as much: \(cost) steps, at most \(limit)")
            }
        }
    }
}
