import Foundation
import Pledge
import PledgeHistory
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// The number of kills. A few kills show most mistakes. The full test, with many kills, runs with `PLEDGE_EFFORT=50`.
private let kills = Rounds.count(usual: 4)

@Suite("`pledge sync`, killed")
struct SyncKillTests {
    @Test(
        "After a kill, the database is intact, has all data that its bookmarks promise, and is completed by a new run")
    func killed() async throws {
        // The killed processes use the system's clock, so the services begin at the same time. Their own clock stands still,
        // so that no day ends between two runs.
        let now = Date()
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes(now: { now }))
        services.participants.rateLimit = 1_000_000
        let environment = services.ownEnvironment
        var random = Fuzzing.generator("kills of a sync")
        try await Tool.run(["sync", folder.path("whole.db")], environment, clock: .live)
        let whole = try History(reading: folder.path("whole.db"))

        var file = 0
        for kill in 0..<kills {
            let path = folder.path("\(file).db")
            let process = try ToolProcess(["sync", path, "--rate", "1000000"], environment)
            // The process is killed at a random request or shortly after it. At that moment, the tool may be storing
            // the response.
            let (moment, counter) = (Int.random(in: 1...25, using: &random), Counter())
            let delay = Double.random(in: 0...0.02, using: &random)
            services.server.script.next(.max) { _ in
                if counter.next() == moment {
                    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { process.send(SIGKILL) }
                }
                return nil
            }
            let status = await process.end()
            services.server.script.reset()
            #expect(status == -SIGKILL || status == 0, "kill \(kill): \(process.errors)")
            // The tool may have been killed before it created the file.
            if FileManager.default.fileExists(atPath: path) {
                let history = try History(path)
                #expect(try history.query("PRAGMA integrity_check").rows == [["ok"]])
                #expect(try Self.missing(in: history, of: whole) == [], "kill \(kill)")
                history.close()
            }
            if Int.random(in: 0..<6, using: &random) == 0 || status == 0 || kill == kills - 1 {
                try await Tool.run(["sync", path, "--rate", "1000000"], environment, clock: .live)
                let history = try History(reading: path)
                for table in [
                    "attribute", "value", "average", "insight", "device_data_point", "survey_task", "survey_answer",
                    "notification",
                ] {
                    #expect(
                        try history.query("SELECT * FROM \(table)").rows == whole.query("SELECT * FROM \(table)").rows,
                        "\(table), kill \(kill)")
                }
                file += 1
            }
        }
    }

    /// Returns the values that are missing although a bookmark says that their days are complete.
    private static func missing(in history: History, of whole: History) throws -> [[SQLValue]] {
        let states = try history.query("SELECT name, oldest, bookmark FROM sync_state WHERE list = 'value'").rows
        var missing: [[SQLValue]] = []
        for state in states {
            let sql = "SELECT attribute, day, value FROM value WHERE attribute = ? AND day BETWEEN ? AND ? ORDER BY day"
            let (have, want) = (try history.query(sql, state).rows, try whole.query(sql, state).rows)
            missing += want.filter { !have.contains($0) }
        }
        return missing
    }
}
