import ExistKit
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// One sync of one account, and its row of `sync_run`.
final class SyncRun: Sendable {
    let history: History
    let account: Int
    private let id: Int
    let options: SyncOptions
    private let name: String
    /// The name of an account that the service had here before this run added its own; nil if it added none.
    let other: String?
    private let requests: @Sendable () -> Int
    /// The day of the run, in UTC.
    private let day: SQLValue
    private let total = Locked(ChangeCount())
    private let missing: Locked<SyncLosses>

    /// - Parameters:
    ///   - hide: Returns what may be shown of a text that contains names from the service.
    ///   - requests: Returns the number of requests that the run has sent.
    init(
        _ history: History, service: String, name: String, options: SyncOptions,
        hiding hide: @escaping @Sendable (String) -> String = { $0 }, counting requests: @escaping @Sendable () -> Int
    ) throws {
        self.history = history
        self.name = name
        self.options = options
        self.requests = requests
        missing = Locked(SyncLosses(hide: hide))
        let started = TimestampColumn.text(options.now())
        day = .text(String(started.prefix(10)))
        (account, id, other) = try history.write { database in
            let key = [SQLValue.text(service), .text(name)]
            let address = SQLValue(options.address)
            let known = "SELECT id, address FROM account WHERE service = ? AND name = ?"
            var other: String?
            if try database.rows(known, key).isEmpty {
                other = try database.value("SELECT name FROM account WHERE service = ? LIMIT 1", [key[0]]).text
                try database.run("INSERT INTO account (service, name, address) VALUES (?, ?, ?)", key + [address])
            }
            let stored = try database.rows(known, key)[0]
            guard stored[1] == address else {
                throw DatabaseError(
                    .other,
                    "\(database.file) has the account “\(name.prefix(40))” of \(Self.server(stored[1])), and would now get "
                        + "that of \(Self.server(address)): use another database, or another name.")
            }
            try database.run("INSERT INTO sync_run (account, started) VALUES (?, ?)", [stored[0], .text(started)])
            let id = try database.value("SELECT last_insert_rowid()").integer ?? 0
            try database.run(
                """
                DELETE FROM sync_run WHERE account = ?1 AND id <=
                    (SELECT id FROM sync_run WHERE account = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
                """, [stored[0], .integer(Self.runsKept)])
            return (stored[0].integer ?? 0, id, other)
        }
    }

    /// Returns whether the run reads everything again, which is recorded here, as a later run completes it.
    private func isFullReadDue(in database: Database) throws -> Bool {
        guard let every = options.fullEvery else { return options.isFull }
        let key = [key, .text("everything"), .text("")]
        let last = try database.value(
            "SELECT bookmark FROM sync_state WHERE account = ? AND list = ? AND name = ?", key)
        let due = try database.value(
            "SELECT abs(julianday(?) - julianday(?)) >= ?", [day, last, .integer(every)])
        guard options.isFull || last == .null || due == 1 else { return false }
        // A full read that was asked for also resets the date, because the stored one may come from a wrong clock. After its first run, which reads
        // everything anyway, each account has a day of its own for the next full one.
        let turn = last == .null && !options.isFull ? account % max(1, every) : 0
        try database.run(
            """
            INSERT INTO sync_state (account, list, name, bookmark, is_complete) VALUES (?1, ?2, ?3, date(?4, ?5), 1)
            ON CONFLICT DO UPDATE SET bookmark = excluded.bookmark
            """, key + [day, .text("-\(turn) days")])
        return options.isFull || due == 1
    }

    /// The number of an account's last runs that `sync_run` has: a month of nights.
    static let runsKept = 30

    private static func server(_ address: SQLValue) -> String { address.text ?? "the usual server" }

    var key: SQLValue { .integer(account) }

    /// All rows of this account in a table.
    var everything: Table.Part { Table.Part(key: [key]) }

    /// Runs `body` in a transaction, and adds the count it returns to the run's.
    func write(_ body: (Database) throws -> ChangeCount) throws {
        let count = try history.write(body)
        total.withLock { $0 += count }
    }

    /// Writes the rows of a list that the service returns as a whole, and removes all others of this account if
    /// `areAll`.
    func put(_ rows: [[SQLValue]], in table: String, areAll: Bool) throws {
        try write { try $0.put(rows, into: table, within: everything, removing: areAll ? removal(of: table) : nil) }
    }

    /// Writes the states of lists, except of those whose removals are doubted or of which nothing could be read: the
    /// next run reads them again.
    func put(_ states: [(name: String, state: SyncState)], of list: String, in database: Database) throws {
        let again = missing.withLock { Set($0.doubted.keys).union($0.unread) }
        try database.put(states.filter { !again.contains(ListName(list, $0.name)) }, of: list, account: account)
    }

    /// Compares the stored identity of the account, which the query returns, with that of the token's owner, and throws
    /// ``IdentityChange`` if they differ. Otherwise prepares for reading everything again if this run is to.
    func identify(_ query: String, _ found: [SQLValue], in database: Database) throws {
        if !options.acceptsIdentity(name),
            let stored = try database.rows(query, [key]).first, !stored.contains(.null), stored != found
        {
            throw IdentityChange(account: name)
        }
        guard try isFullReadDue(in: database) else { return }
        // The rows stay: a list that was never read has nothing to remove.
        try database.run(
            """
            UPDATE sync_state SET bookmark = NULL, oldest = NULL, begins = NULL, is_complete = 0, page = NULL,
                next_bookmark = NULL, inactive = NULL
            WHERE account = ? AND list <> 'everything'
            """, [key])
    }

    /// Performs the work and records its outcome.
    func following(_ work: @escaping @Sendable () -> Promise<Void>) -> Promise<SyncSummary> {
        firstly(execute: work).map(on: history.queue) {
            try self.reportUnread()
            let missing = self.missing.withLock { $0 }
            if let failure = missing.failure { throw failure }
            try self.end("done")
            return SyncSummary(
                requests: self.requests(), changes: self.total.withLock { $0 }, notes: missing.lines,
                unreadable: missing.unreadable, gaps: missing.gaps)
        }.recover(on: history.queue, policy: .allErrors) { error -> Promise<SyncSummary> in
            let error = error.isOtherOwner ? IdentityChange(account: self.name) : error
            // The original error matters more than a failure to record it.
            try? error.isCancelled ? self.end("ended") : self.end("failed", error)
            throw error
        }
    }

    /// - Parameter failure: The error that ended the run, which precedes the notes about lists that could not be read.
    func end(_ outcome: String, _ failure: (any Error)? = nil) throws {
        let (missing, count) = (missing.withLock { $0 }, total.withLock { $0 })
        let lines = (failure.map { [options.describe($0)] } ?? []) + missing.lines
        let kind =
            failure.map(options.kind) ?? missing.gaps.first?.kind ?? (missing.unreadable.isEmpty ? nil : "unreadable")
        _ = try history.write { database in
            try database.run(
                """
                UPDATE sync_run SET ended = ?, outcome = ?, kind = ?, error = ?, requests = ?, added = ?, changed = ?,
                    removed = ?
                WHERE id = ?
                """,
                [
                    .text(TimestampColumn.text(options.now())), .text(outcome), SQLValue(kind),
                    lines.isEmpty ? .null : .text(lines.joined(separator: "\n")), .integer(requests()),
                    .integer(count.added), .integer(count.changed), .integer(count.removed), .integer(id),
                ])
        }
    }

    /// Reads one list after another until the run is to end. An error that affects only one list does not end it.
    func inTurn(_ lists: [(list: ListName, read: @Sendable () throws -> Promise<Void>)]) -> Promise<Void> {
        lists.reduce(Promise()) { before, next in
            before.then(on: history.queue) { _ -> Promise<Void> in
                try self.goOn()
                return firstly(execute: next.read).recover(on: self.history.queue) { error in
                    guard self.continues(without: next.list, error) else { throw error }
                }
            }
        }
    }

    /// Records an error, and returns whether to continue without the list because the error affects only that one. If
    /// the service itself has failed, the run reads the rest and then fails.
    func continues(without list: ListName, _ error: any Error) -> Bool {
        let isService = error.failure == .serviceFault
        guard isService || error.concernsOneList else { return false }
        missing.withLock { missing in
            if isService, missing.failure == nil {
                missing.failure = error
            } else {
                missing.add(list, options.kind(error), "could not be read: \(options.describe(error))")
            }
        }
        return true
    }

    /// Adds a sentence to the notes of the run.
    func record(note text: String) { missing.withLock { $0.notes.append(text) } }

    /// Records how many items of a list, or of a page of it, were read, and those that could not be decoded and are
    /// therefore not in its table.
    func record(_ unreadable: [UnreadableItem], of list: ListName, read: Int) {
        missing.withLock { missing in
            let lost = unreadable.lost
            // Counted for every list, because a later page may be the first that lacks an item.
            missing.items[list, default: (0, 0)].read += read
            missing.items[list]?.lost += lost
            for item in unreadable {
                if item.isKept {
                    guard missing.remarked.insert(list.table).inserted else { continue }
                    missing.notes.append("In \(list.label), and perhaps in more: \(item).")
                } else if missing.notes.count < Self.mostNotes {
                    missing.notes.append("Not in \(list.label): \(item).")
                } else {
                    missing.more += 1
                }
            }
        }
    }

    /// Whether an item of a list could not be read so far.
    func lacksItems(of list: ListName) -> Bool { missing.withLock { $0.items[list]?.lost ?? 0 > 0 } }

    /// Records a gap for each list of which nothing could be read although rows of it are stored.
    private func reportUnread() throws {
        for list in missing.withLock({ $0.unread }).sorted(by: { $0.label < $1.label }) {
            let isStored = try history.read { database in
                var query = "SELECT 1 FROM \(list.table) WHERE account = ?"
                if try database.table(list.table).keepsRemoved { query += " AND removed IS NULL" }
                if list.name.isEmpty { return try database.value("\(query) LIMIT 1", [key]) != .null }
                let columns = ["value": "attribute", "device_data_point_v2": "namespace || '/' || type"]
                query += " AND \(columns[list.table] ?? "namespace") = ? LIMIT 1"
                return try database.value(query, [key, .text(list.name)]) != .null
            }
            guard isStored else { continue }
            missing.withLock { missing in
                missing.add(
                    list, "unreadable",
                    "could not be read: none of \(missing.items[list]?.lost ?? 0) items is as the service promises. What "
                        + "is stored stays, and the next run requests them again.")
            }
        }
    }

    /// The number of notes after which items are only counted, since a service could send millions.
    private static let mostNotes = 20

    /// Returns how rows of a list are removed: with the day of this run, unless they are more than a service can be
    /// expected to lose in a night.
    func removal(of list: String, _ name: String = "") -> Removal {
        Removal(day: day) { [self] count, table, database in
            guard table.keepsRemoved, !options.acceptsRemovals else { return true }
            return try missing.withLock { missing in
                let sum = missing.removed[table.name, default: 0] + count
                // Counting reads every row, so it is done only if the limit could be exceeded.
                if sum > Self.fewRows {
                    let stored = try database.value(
                        "SELECT count(*) FROM \(table.name) WHERE account = ? AND removed IS NULL", [key])
                    guard sum <= (stored.integer ?? 0) / 100 else {
                        missing.doubted[ListName(list, name), default: 0] += count
                        return false
                    }
                }
                missing.removed[table.name] = sum
                return true
            }
        }
    }

    /// The number of rows of a table that a night may mark as removed, even if they are more than a hundredth of it.
    private static let fewRows = 10

    /// - Throws: `PromiseError.cancelled` if the sync is to end.
    func goOn() throws {
        if options.isStopped() { throw PromiseError.cancelled }
    }
}

/// The progress of reading one list of an account: a row of `sync_state`.
struct SyncState: Equatable, Sendable {
    /// The point through which the list was read: a day, or a timestamp from the service.
    var bookmark: String?
    /// The earliest day that was read.
    var oldest: String?
    /// The day of an attribute's first value, once it is known.
    var begins: String?
    /// Whether the list was read back to its beginning.
    var isComplete = false
    /// The page to resume at after an interruption.
    var page: String?
    /// The bookmark to set after the last page has been read.
    var nextBookmark: String?
    /// The day an attribute was first found to be out of use.
    var inactive: String?
}

extension Database {
    /// Returns the states of a list, by name.
    func states(of list: String, account: Int) throws -> [ExactText: SyncState] {
        var states: [ExactText: SyncState] = [:]
        let part = Table.Part(key: [.integer(account), .text(list)])
        try read(part, of: table("sync_state")) { row in
            states[ExactText(row[0].text ?? "")] = SyncState(
                bookmark: row[1].text, oldest: row[2].text, begins: row[3].text, isComplete: row[4] == 1,
                page: row[5].text, nextBookmark: row[6].text, inactive: row[7].text)
        }
        return states
    }

    /// Writes states. Call this in the transaction that writes the data they account for.
    func put(_ states: [(name: String, state: SyncState)], of list: String, account: Int) throws {
        _ = try put(
            states.map { name, state in
                [
                    .integer(account), .text(list), .text(name), SQLValue(state.bookmark), SQLValue(state.oldest),
                    SQLValue(state.begins), SQLValue(state.isComplete), SQLValue(state.page),
                    SQLValue(state.nextBookmark), SQLValue(state.inactive),
                ]
            }, into: "sync_state", within: Table.Part(key: [.integer(account), .text(list)]))
    }
}

extension ValueProgress {
    init(_ attribute: Attribute, _ state: SyncState?) {
        let isActive = attribute.active ?? true
        self.init(
            name: attribute.name, isListed: isActive && attribute.priority < 10, isActive: isActive,
            newest: state?.bookmark.flatMap { ExistDay($0) }, oldest: state?.oldest.flatMap { ExistDay($0) },
            begins: state?.begins.flatMap { ExistDay($0) }, isComplete: state?.isComplete ?? false,
            inactive: state?.inactive.flatMap { ExistDay($0) })
    }

    var state: SyncState {
        SyncState(
            bookmark: newest?.description, oldest: oldest?.description, begins: begins?.description,
            isComplete: isComplete, inactive: inactive?.description)
    }
}

/// The error of a sync whose token belongs to another person than the one whose data the account holds, or does so since
/// it was renewed or replaced during the sync.
///
/// Nothing of the other person was written. If the person just has another name now, accept it with ``SyncOptions/acceptsIdentity``.
public struct IdentityChange: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the account.
    public var account: String

    /// A sentence that names the account, and what to do.
    public var description: String {
        "The account “\(account.prefix(40))” holds the data of another person than the one its token belongs to, of "
            + "whom nothing was written: correct the token, or choose another name for the account. If it is the same person under "
            + "a new name, accept that once (--accept-identity)."
    }
}
