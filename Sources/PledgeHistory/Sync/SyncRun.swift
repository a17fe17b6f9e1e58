import ExistKit
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// One sync of one account. It has a row in the table `sync_run`.
final class SyncRun: Sendable {
    let history: History
    let account: Int
    private let id: Int
    let options: SyncOptions
    private let name: String
    /// The name of an older account of the same service, if this run added a new account to the history. Nil if the
    /// history had no older account of the service, or if this run added no account.
    let other: String?
    private let requests: @Sendable () -> Int
    /// The day on which the run began, in UTC.
    private let day: SQLValue
    private let total = Locked(ChangeCount())
    private let missing: Locked<SyncLosses>

    /// - Parameters:
    ///   - hide: Returns a text without the secrets in it. It is called for texts that contain names from the service.
    ///   - requests: Returns the number of requests that the run has sent so far.
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
                    "\(database.file) has the account “\(name.prefix(40))” of \(Self.server(stored[1])), but this run "
                        + "would store an account of \(Self.server(address)) under that name: use another database, or "
                        + "another name.")
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

    /// Returns whether this run reads all data again. If so, also records the day of this full read. That is done at
    /// the beginning, because a later run completes the full read if this run is interrupted.
    private func isFullReadDue(in database: Database) throws -> Bool {
        guard let every = options.fullEvery else { return options.isFull }
        let key = [key, .text("everything"), .text("")]
        let last = try database.value(
            "SELECT bookmark FROM sync_state WHERE account = ? AND list = ? AND name = ?", key)
        let due = try database.value(
            "SELECT abs(julianday(?) - julianday(?)) >= ?", [day, last, .integer(every)])
        guard options.isFull || last == .null || due == 1 else { return false }
        // A full read that was asked for before it was due also stores its day, because the day that was stored before
        // may come from a wrong clock.
        //
        // The first run of an account, which reads everything anyway, stores its own day or an earlier one. The number
        // of days between the two differs from account to account, so the next full reads of the accounts are due on
        // different days.
        let turn = last == .null && !options.isFull ? account % max(1, every) : 0
        try database.run(
            """
            INSERT INTO sync_state (account, list, name, bookmark, is_complete) VALUES (?1, ?2, ?3, date(?4, ?5), 1)
            ON CONFLICT DO UPDATE SET bookmark = excluded.bookmark
            """, key + [day, .text("-\(turn) days")])
        return options.isFull || due == 1
    }

    /// The number of runs of an account that `sync_run` keeps. This is a month of nightly runs.
    static let runsKept = 30

    private static func server(_ address: SQLValue) -> String { address.text ?? "the usual server" }

    var key: SQLValue { .integer(account) }

    /// The part of a table that consists of all rows of this account.
    var everything: Table.Part { Table.Part(key: [key]) }

    /// Runs `body` in a transaction, and adds the changes that `body` returns to the changes of the run.
    func write(_ body: (Database) throws -> ChangeCount) throws {
        let count = try history.write(body)
        total.withLock { $0 += count }
    }

    /// Writes the rows of a list that is not read in pages. If `areAll` is true, also removes the account's other rows
    /// in the table.
    func put(_ rows: [[SQLValue]], in table: String, areAll: Bool) throws {
        try write { try $0.put(rows, into: table, within: everything, removing: areAll ? removal(of: table) : nil) }
    }

    /// Writes the states of lists. Two kinds of lists are left out, so that the next run reads them again: lists of
    /// which no item could be read, and lists of which suspiciously many rows are gone.
    func put(_ states: [(name: String, state: SyncState)], of list: String, in database: Database) throws {
        let again = missing.withLock { Set($0.doubted.keys).union($0.unread) }
        try database.put(states.filter { !again.contains(ListName(list, $0.name)) }, of: list, account: account)
    }

    /// Checks that the token belongs to the person whose data the account has. If not, throws ``IdentityChange``. If
    /// this run reads all data again, also resets the states of the lists.
    ///
    /// - Parameters:
    ///   - query: A query for the stored identity of the person.
    ///   - found: The identity of the token's owner, in the order of the query's columns.
    func identify(_ query: String, _ found: [SQLValue], in database: Database) throws {
        if !options.acceptsIdentity(name),
            let stored = try database.rows(query, [key]).first, !stored.contains(.null), stored != found
        {
            throw IdentityChange(account: name)
        }
        guard try isFullReadDue(in: database) else { return }
        // The rows of `sync_state` are changed, not deleted. A list without such a row counts as never read, and a
        // first read removes no rows.
        try database.run(
            """
            UPDATE sync_state SET bookmark = NULL, oldest = NULL, begins = NULL, is_complete = 0, page = NULL,
                next_bookmark = NULL, inactive = NULL
            WHERE account = ? AND list <> 'everything'
            """, [key])
    }

    /// Does the work of the run, and then records its outcome.
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
            // If recording the outcome fails, that error is ignored, because the error of the work matters more.
            try? error.isCancelled ? self.end("ended") : self.end("failed", error)
            throw error
        }
    }

    /// Records the end of the run in `sync_run`.
    ///
    /// - Parameter failure: The error that ended the run. Its text comes before the notes about lists that could not be
    ///   read.
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

    /// Reads one list after another until the run is to end. After an error that affects only one list, the next list
    /// is read.
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

    /// Returns whether to continue with other lists after an error, and if so, records the error. There are two such
    /// cases:
    /// - The error affects only this list. The list then becomes a gap of the run.
    /// - The service itself has failed. The run then reads the other lists before it fails.
    func continues(without list: ListName, _ error: any Error) -> Bool {
        let isService = error.failureKind == .serviceFault
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

    /// Records how many items of a list, or of one of its pages, were read. Also records the items that could not be
    /// decoded, and therefore are not stored.
    func record(_ unreadable: [UnreadableItem], of list: ListName, read: Int) {
        missing.withLock { missing in
            let lost = unreadable.lost
            // The items are counted even if all of them were read. A later page may have an unreadable item, and the
            // counts must then include the earlier pages.
            missing.items[list, default: (0, 0)].read += read
            missing.items[list]?.lost += lost
            for item in unreadable {
                if item.isKept {
                    guard missing.remarked.insert(list.table).inserted else { continue }
                    missing.notes.append("In \(list.label), and perhaps in other lists: \(item).")
                } else if missing.notes.count < Self.mostNotes {
                    missing.notes.append("Missing in \(list.label): \(item).")
                } else {
                    missing.more += 1
                }
            }
        }
    }

    /// Returns whether at least one item of a list could not be decoded in this run so far.
    func lacksItems(of list: ListName) -> Bool { missing.withLock { $0.items[list]?.lost ?? 0 > 0 } }

    /// Records a gap for each list of which no item could be read, if the database has rows of that list.
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
                    "could not be read: none of \(missing.items[list]?.lost ?? 0) items is as the service documents. "
                        + "The stored data stays, and the next run requests these items again.")
            }
        }
    }

    /// The maximum number of notes about unreadable items. Further items are only counted, because a service could send
    /// millions of them.
    private static let mostNotes = 20

    /// Returns how to remove rows of a list. The rows are marked with the day of this run. If there are more of them
    /// than a service can be expected to lose in one night, none of them is marked.
    func removal(of list: String, _ name: String = "") -> Removal {
        Removal(day: day) { [self] count, table, database in
            guard table.keepsRemoved, !options.acceptsRemovals else { return true }
            return try missing.withLock { missing in
                let sum = missing.removed[table.name, default: 0] + count
                // Counting reads every row. So it is done only if the number of removed rows is large enough to be
                // suspicious.
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

    /// The number of rows that a run may always mark as removed in a table, even if they are more than one percent of
    /// the table.
    private static let fewRows = 10

    /// Throws an error if the sync was told to stop. This is called between requests.
    ///
    /// - Throws: `PromiseError.cancelled`.
    func goOn() throws {
        if options.isStopped() { throw PromiseError.cancelled }
    }
}

/// The progress of reading one list of an account. It is a row of the table `sync_state`.
struct SyncState: Equatable, Sendable {
    /// The point up to which the list was read. It is a day, or a timestamp from the service.
    var bookmark: String?
    /// The earliest day that was read.
    var oldest: String?
    /// The day of an attribute's first value, once it is known.
    var begins: String?
    /// Whether the list was read back to its beginning.
    var isComplete = false
    /// The page to resume at if a run was interrupted.
    var page: String?
    /// The bookmark to set after the last page has been read.
    var nextBookmark: String?
    /// The day on which a sync first found that the attribute is out of use.
    var inactive: String?
}

extension Database {
    /// Returns the states of all lists in a table, by the names of the lists.
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

    /// Writes the states of lists. Call this in the same transaction that writes the items of these lists.
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

/// The error of a sync whose token belongs to a different person than the data of the account. The token may have
/// belonged to that person from the start, or may have been replaced by that person's token during the sync.
///
/// None of the other person's data was written. If it is the same person with a new name, accept the new name with
/// ``SyncOptions/acceptsIdentity``.
public struct IdentityChange: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the account.
    public var account: String

    /// A sentence that names the account and says what to do.
    public var description: String {
        "The account “\(account.prefix(40))” has the data of another person than the one to whom its token belongs, so "
            + "nothing was written: correct the token, or choose another name for the account. If it is the same "
            + "person under a new name, accept that once (--accept-identity)."
    }
}

extension Error {
    /// A code that programs can use and the database stores. It is the kind of the failure, or `identity` if the token
    /// belongs to a different person than the account.
    package var kindName: String { self is IdentityChange || isOtherOwner ? "identity" : failureKind.rawValue }

    /// Whether the error concerns only this request, so that other lists can still be read. Other errors also affect
    /// the next requests, for example because the service is down, the token is invalid, or a rate limit is used up.
    var concernsOneList: Bool { isRefusal || failureKind == .unreadable && !lacksToken }
}
