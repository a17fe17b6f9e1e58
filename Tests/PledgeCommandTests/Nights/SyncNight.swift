import ExistKit
import Foundation
import Pledge
import PledgeFiles
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport

@testable import PledgeBatch
@testable import PledgeCommand
@testable import PledgeHistory

/// Nights of `pledge sync`: its own batch, schedule, clients, and database file, with services that fail, processes
/// that die, and a clock on which every wait ends at once.
struct SyncNight {
    let seed: UInt64
    /// Both services, and the content that an undisturbed run stores.
    let world: World
    private let folder: TemporaryFolder

    init(seed: UInt64, in world: World) throws {
        (self.seed, self.world) = (seed, world)
        folder = try TemporaryFolder()
    }

    /// - Throws: ``Broken``.
    func live() async throws {
        var dice = SeededGenerator(seed: seed)
        var file = 0
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            let transport = TroubledTransport(
                seed: dice.next(), share: [0, 0.02, 0.2].randomElement(using: &dice) ?? 0,
                ending: Int.random(in: 1...world.requests, using: &dice))
            let isInterrupted = Int.random(in: 0..<4, using: &dice) == 0
            // What is in the journal but not on the disk is lost with the power, possibly in the middle of a write.
            let tail = Bool.random(using: &dice) ? Double.random(in: 0...1, using: &dice) : 0
            let (path, next) = (folder.path("\(file).db"), folder.path("\(file + 1).db"))
            let history = try History(path)
            try await world.run(into: history, over: transport, rules: Self.rules(&dice), seed: dice.next()) { batch in
                if !isInterrupted { Self.copy(history, path, to: next, losing: tail) }
                batch.stop()
            }
            history.close()
            if FileManager.default.fileExists(atPath: next) { file += 1 }
            try check(folder.path("\(file).db"), isWhole: false)
        }
        let path = folder.path("\(file).db")
        let history = try History(path)
        let tally = try await world.run(
            into: history, over: TroubledTransport(seed: 0, share: 0, ending: .max), rules: BatchRules(), seed: 1)
        history.close()
        guard tally.done == world.accounts else { throw Broken("in the end \(tally.done) accounts were done") }
        try check(path, isWhole: true)
    }

    private static func rules(_ dice: inout SeededGenerator) -> BatchRules {
        var rules = BatchRules()
        rules.inFlight = [1, 2, 4].randomElement(using: &dice) ?? 1
        rules.mostParked = [1, 10_000].randomElement(using: &dice) ?? 1
        return rules
    }

    /// Copies what a process that dies now leaves behind.
    private static func copy(_ history: History, _ path: String, to next: String, losing share: Double) {
        try? history.read { _ in
            let files = FileManager.default
            try? files.copyItem(atPath: path, toPath: next)
            guard let journal = files.contents(atPath: path + "-wal") else { return }
            let kept = journal.count - Int(Double(min(journal.count, 40_000)) * share)
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            _ = files.createFile(atPath: next + "-wal", contents: Data(journal.prefix(kept)), attributes: mode)
        }
    }

    private func check(_ path: String, isWhole: Bool) throws {
        let history = try History(path)
        defer { history.close() }
        guard try history.query("PRAGMA integrity_check").rows == [["ok"]] else { throw Broken("the file is damaged") }
        let content = try World.content(of: history)
        let strangers = content.subtracting(world.content)
        guard strangers.isEmpty else { throw Broken("rows nobody sent: \(strangers.sorted().prefix(5))") }
        if isWhole, content != world.content {
            throw Broken("not there in the end: \(world.content.subtracting(content).sorted().prefix(5))")
        }
        let missing = try world.promised(by: history).subtracting(content)
        guard missing.isEmpty else { throw Broken("a bookmark is ahead of \(missing.sorted().prefix(5))") }
    }
}

extension SyncNight {
    /// Both services with a little data, and accounts of each.
    final class World: Sendable {
        private let services: BothSandboxes
        private let folder: TemporaryFolder
        /// Their lines.
        private let file: String
        let accounts = 5
        private let undisturbed: Locked<(content: Set<String>, requests: Int)>

        /// Friday, 20 November 2026, 12:00 in UTC.
        private static let now = Date(timeIntervalSince1970: 1_795_176_000)

        init() async throws {
            services = try BothSandboxes(isEmpty: true, timeZone: .gmt) { Self.now }
            folder = try TemporaryFolder()
            file = try folder.file("accounts.jsonl", holding: services.lines(1...accounts)).path
            let (exist, participants) = (services.exist, services.participants)
            participants.rateLimit = 1_000_000
            for number in 0..<4 {
                exist.addAttribute("a\(number)", valueType: number % 3, isLowPriority: number == 3)
                for day in stride(from: number, to: 130 * (number + 1), by: 9) {
                    let date = ExistDay(Self.now, in: .gmt).advanced(by: -day)
                    let value: [ServerJSON] = [.integer(day), .number(Double(day) / 8), .string("\(day)")]
                    exist.setValue(value[number % 3], of: "a\(number)", on: "\(date)")
                }
            }
            for number in 0..<230 {
                let moment = Self.now - Double(number) * 3_000
                participants.putPoint(
                    number, namespace: number % 3 == 0 ? "Fitbit" : "AppleHealth", type: "Steps", value: "\(number)",
                    observed: moment - 100_000, modified: moment)
                if number < 120 { participants.putTask(number, status: "complete", inserted: moment, modified: moment) }
                if number < 9 { participants.putAnswer(number, result: number, ["7"], inserted: moment) }
                if number < 5 { participants.putNotification(number, status: "Succeeded", sent: moment) }
            }
            undisturbed = Locked(([], 0))
            let history = try History(folder.path("whole.db"))
            let transport = TroubledTransport(seed: 0, share: 0, ending: .max)
            let tally = try await run(into: history, over: transport, rules: BatchRules(), seed: 1)
            guard tally.done == accounts else { throw Broken("undisturbed, \(tally.done) accounts were done") }
            let content = try Self.content(of: history)
            undisturbed.withLock { $0 = (content, tally.requests) }
        }

        deinit { services.server.stop() }

        var content: Set<String> { undisturbed.withLock(\.content) }
        var requests: Int { undisturbed.withLock(\.requests) }

        /// Runs one process.
        ///
        /// - Parameter death: Called when the transport is at the last request of the process.
        @discardableResult
        func run(
            into history: History, over transport: TroubledTransport, rules: BatchRules, seed: UInt64,
            death: @escaping @Sendable (BatchEngine) -> Void = { _ in }
        ) async throws -> BatchTally {
            let options = try SyncRequest(
                Arguments(
                    [file, "--database", "out"], of: SyncCommand.command,
                    in: RunContext(environment: services.environment)))
            let sync = AccountSync(options: options.sync, history: history)
            let clock = HurriedClock(Self.now)
            let jobs = try BatchInput(options.batch).jobs(limits: [.exist: 30]) { sync.run($0) }
            let batch = BatchEngine(rules, over: transport, clock: clock.timekeeper, seed: seed)
            transport.onEnd { death(batch) }
            try await batch.run(jobs).value
            return batch.tally
        }

        private static let tables = [
            "attribute", "value", "average", "correlation", "insight", "participant", "device_data_point",
            "survey_task", "survey_answer", "notification", "external_account",
        ]

        /// Returns every row that came from a service, with its account's name, as text.
        static func content(of history: History) throws -> Set<String> {
            Set(try tables.flatMap { try lines(of: $0, in: history) })
        }

        private static func lines(of table: String, _ condition: String = "", in history: History) throws -> [String] {
            let rows = try history.query(
                "SELECT a.name, t.* FROM \(table) AS t JOIN account AS a ON a.id = t.account \(condition)"
            ).rows
            return rows.map { row in "\(table) \(row[0]) " + row[2...].map(\.description).joined(separator: "|") }
        }

        /// Returns the rows that must be in a history according to its bookmarks.
        func promised(by history: History) throws -> Set<String> {
            let states = try history.query(
                """
                SELECT a.name, s.list, s.name, s.oldest, s.bookmark, s.is_complete FROM sync_state AS s
                JOIN account AS a ON a.id = s.account WHERE s.bookmark NOTNULL
                """
            ).rows
            let whole = try History(reading: folder.path("whole.db"))
            defer { whole.close() }
            var promised: Set<String> = []
            for state in states {
                func quoted(_ place: Int) -> String { "'\(state[place])'" }
                let condition: String? =
                    switch state[1].text {
                    case "value": "AND t.attribute = \(quoted(2)) AND t.day BETWEEN \(quoted(3)) AND \(quoted(4))"
                    case "device_data_point": "AND t.namespace = \(quoted(2)) AND t.modified <= \(quoted(4))"
                    case "survey_answer": "AND t.inserted <= \(quoted(4))"
                    case "notification": "AND t.sent <= \(quoted(4))"
                    default: nil
                    }
                guard let condition, let table = state[1].text else { continue }
                promised.formUnion(
                    try Self.lines(of: table, "WHERE a.name = \(quoted(0)) \(condition)", in: whole))
            }
            return promised
        }
    }
}
