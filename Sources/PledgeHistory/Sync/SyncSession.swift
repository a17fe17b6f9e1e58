import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// One sync of one account. It has a row in the table `sync_run`.
final class SyncSession: Sendable {
    let history: History
    /// The `id` of the account in the database.
    let account: SQLValue
    let options: SyncOptions
    /// The `id` of the session's row in `sync_run`.
    private let id: SQLValue
    private let name: String
    /// The name of an older account of the same service, if no sync of this account was successful before. Nil if the
    /// history has no older account of the service, or if this account is not new.
    private let olderAccount: String?
    private let requests: @Sendable () -> Int
    /// The day on which the session began, in UTC.
    private let day: SQLValue
    private let total = Locked(ChangeCount())
    private let losses: Locked<SyncLosses>

    /// The number of runs of an account that `sync_run` keeps. This is a month of nightly runs. The latest run that
    /// ended successfully is kept as well, because it tells up to which day the data is there.
    static let runsKept = 30

    /// Begins a session: adds the account to the history if it is new, and adds the session's row to `sync_run`.
    ///
    /// - Parameters:
    ///   - hide: Returns a text without the secrets in it. It is called for texts that contain names from the service.
    ///   - requests: Returns the number of requests that the session has sent so far.
    static func begin(
        in history: History, _ service: History.Service, as name: String, options: SyncOptions,
        hiding hide: @escaping @Sendable (String) -> String = { $0 }, counting requests: @escaping @Sendable () -> Int
    ) throws -> SyncSession {
        let started = TimestampColumn.text(options.now())
        return try history.transaction { database in
            let key = [SQLValue.text(service.rawValue), .text(name)]
            let address = SQLValue(options.address)
            let known = "SELECT id, address FROM account WHERE service = ? AND name = ?"
            if try database.rows(known, key).isEmpty {
                try database.run("INSERT INTO account (service, name, address) VALUES (?, ?, ?)", key + [address])
            }
            let stored = try database.rows(known, key)[0]
            guard stored[1] == address else {
                throw DatabaseError(
                    .other,
                    "\(database.file) has the account “\(name.prefix(40))” of \(server(stored[1])), but this run "
                        + "would store an account of \(server(address)) under that name: use another database, or "
                        + "another name.")
            }
            let account = stored[0]
            var olderAccount: String?
            let success = "SELECT 1 FROM sync_run WHERE account = ? AND outcome = 'done' LIMIT 1"
            if try database.rows(success, [account]).isEmpty {
                let older = "SELECT name FROM account WHERE service = ? AND id < ? LIMIT 1"
                olderAccount = try database.value(older, [key[0], account]).text
            }
            try database.run("INSERT INTO sync_run (account, started) VALUES (?, ?)", [account, .text(started)])
            let id = try database.value("SELECT last_insert_rowid()")
            try database.run(
                """
                DELETE FROM sync_run WHERE account = ?1 AND id <=
                    (SELECT id FROM sync_run WHERE account = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
                    AND id IS NOT (SELECT max(id) FROM sync_run WHERE account = ?1 AND outcome = 'done')
                """, [account, .integer(runsKept)])
            return SyncSession(
                history, account: account, name, id: id, olderAccount: olderAccount, day: String(started.prefix(10)),
                options, hide, requests)
        }
    }

    private static func server(_ address: SQLValue) -> String { address.text ?? "the usual server" }

    private init(
        _ history: History, account: SQLValue, _ name: String, id: SQLValue, olderAccount: String?, day: String,
        _ options: SyncOptions, _ hide: @escaping @Sendable (String) -> String,
        _ requests: @escaping @Sendable () -> Int
    ) {
        self.history = history
        self.account = account
        self.name = name
        self.id = id
        self.olderAccount = olderAccount
        self.day = .text(day)
        self.options = options
        self.requests = requests
        losses = Locked(SyncLosses(hide: hide))
    }

    /// Does the work of the session, and then records its outcome.
    ///
    /// - Parameter hasOwnName: Whether the caller of the sync gave no name, so that the account got the name that its
    ///   owner has in the service. The token may then belong to someone else than the caller expects.
    func run(
        hasOwnName: Bool, _ work: @escaping @Sendable () throws -> Promise<Void>
    ) -> Promise<SyncSummary> {
        firstly(execute: work).map(on: history.queue) {
            try self.recordUnreadableLists()
            let losses = self.losses.withLock { $0 }
            if let failure = losses.failure { throw failure }
            try self.end("done")
            return SyncSummary(
                requests: self.requests(), changes: self.total.withLock { $0 },
                notes: (hasOwnName ? self.noteOnNewAccount : []) + losses.lines,
                unreadable: losses.unreadable, gaps: losses.gaps)
        }.recover(on: history.queue, policy: .allErrors) { error -> Promise<SyncSummary> in
            let error = error.isOtherOwner ? IdentityChange(account: self.name) : error
            // If recording the outcome fails, that error is ignored, because the error of the work matters more.
            try? error.isCancelled ? self.end("ended") : self.end("failed", error)
            throw error
        }
    }

    /// Records the end of the session in `sync_run`.
    ///
    /// - Parameter failure: The error that ended the session. Its text comes before the notes about lists that could
    ///   not be read.
    func end(_ outcome: String, _ failure: (any Error)? = nil) throws {
        let (losses, count) = (losses.withLock { $0 }, total.withLock { $0 })
        let lines = (failure.map { [options.describe($0)] } ?? []) + losses.lines
        let kind =
            failure.map(options.kind) ?? losses.gaps.first?.kind ?? (losses.unreadable.isEmpty ? nil : "unreadable")
        _ = try history.transaction { database in
            try database.run(
                """
                UPDATE sync_run SET ended = ?, outcome = ?, kind = ?, error = ?, requests = ?, added = ?, changed = ?,
                    removed = ?
                WHERE id = ?
                """,
                [
                    .text(TimestampColumn.text(options.now())), .text(outcome), SQLValue(kind),
                    lines.isEmpty ? .null : .text(lines.joined(separator: "\n")), .integer(requests()),
                    .integer(count.added), .integer(count.changed), .integer(count.removed), id,
                ])
        }
    }

    // MARK: The owner

    /// A note if this account is new in a history that already had one. The note is not stored: when the
    /// older account is erased, its name must not remain in the rows of this one.
    private var noteOnNewAccount: [String] {
        olderAccount.map {
            ["“\(name.prefix(40))” is a new account in this database, which already has “\($0.prefix(40))”."]
        } ?? []
    }

    /// Checks that the token belongs to the person whose data the account has. If not, throws ``IdentityChange``.
    ///
    /// - Parameters:
    ///   - found: The identity of the token's owner, in the order of the query's columns.
    ///   - query: A query for the stored identity of the person.
    func checkOwner(_ found: [SQLValue], storedAs query: String, in database: Database) throws {
        guard !options.acceptedIdentities.contains(name),
            let stored = try database.rows(query, [account]).first, !stored.contains(.null), stored != found
        else { return }
        throw IdentityChange(account: name)
    }

    /// If this session reads all data again, resets the states of all lists.
    func resetStatesIfFullReadIsDue(in database: Database) throws {
        guard try isFullReadDue(in: database) else { return }
        // The rows of `sync_state` are changed, not deleted. A list without such a row counts as never read, and a
        // first read removes no rows.
        try database.run(
            """
            UPDATE sync_state SET bookmark = NULL, oldest = NULL, begins = NULL, is_complete = 0, page = NULL,
                next_bookmark = NULL, inactive = NULL
            WHERE account = ? AND list <> 'everything'
            """, [account])
    }

    /// Returns whether this session reads all data again. If so, also records the day of this full read. That is done
    /// at the beginning, because a later session completes the full read if this session is interrupted.
    private func isFullReadDue(in database: Database) throws -> Bool {
        guard let every = options.fullEvery else { return options.isFull }
        let key = [account, .text("everything"), .text("")]
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
        let turn = last == .null && !options.isFull ? (account.integer ?? 0) % max(1, every) : 0
        try database.run(
            """
            INSERT INTO sync_state (account, list, name, bookmark, is_complete) VALUES (?1, ?2, ?3, date(?4, ?5), 1)
            ON CONFLICT DO UPDATE SET bookmark = excluded.bookmark
            """, key + [day, .text("-\(turn) days")])
        return options.isFull || due == 1
    }

    // MARK: Lists

    /// Reads one list after another until the session is to end. After an error that affects only one list, the next
    /// list is read.
    func inTurn(_ lists: [(list: ListName, read: @Sendable () throws -> Promise<Void>)]) -> Promise<Void> {
        lists.reduce(Promise()) { before, next in
            before.then(on: history.queue) { _ -> Promise<Void> in
                try self.checkNotStopped()
                return firstly(execute: next.read).recover(on: self.history.queue) { error in
                    guard self.recordGap(of: next.list, error) else { throw error }
                }
            }
        }
    }

    /// Throws an error if the sync was told to stop. This is called between requests.
    ///
    /// - Throws: `PromiseError.cancelled`.
    func checkNotStopped() throws {
        if options.isStopped() { throw PromiseError.cancelled }
    }

    /// Runs `body` in a transaction, and adds the changes that `body` returns to the changes of the session.
    func write(_ body: (Database) throws -> ChangeCount) throws {
        let count = try history.transaction(body)
        total.withLock { $0 += count }
    }

    /// The part of a table that consists of all rows of this account.
    var allRows: Table.Part { Table.Part(key: [account]) }

    /// Writes the rows of a list that is not read in pages. If `areAll` is true, also removes the account's other rows
    /// in the table.
    func put(_ rows: [[SQLValue]], of list: ListName, areAll: Bool) throws {
        try write { database in
            var (count, gone) = try database.put(rows, into: list.table, comparing: allRows)
            if areAll { count += try remove(gone, of: list, in: database) }
            return count
        }
    }

    /// Marks rows with the day of this session, because the service no longer has them. If the table keeps no such
    /// rows, deletes them. If there are more of them than a service can be expected to lose in one night, marks none of
    /// them.
    ///
    /// - Parameter keys: The keys of the rows.
    func remove(_ keys: [[SQLValue]], of list: ListName, in database: Database) throws -> ChangeCount {
        guard !keys.isEmpty else { return ChangeCount() }
        let table = try database.table(list.table)
        let isAccepted = try losses.withLock { losses in
            try !table.keepsRemoved || options.acceptsRemovals
                || losses.acceptsRemovals(keys.count, of: list) {
                    try database.value(
                        "SELECT count(*) FROM \(table.name) WHERE account = ? AND removed IS NULL", [account]
                    ).integer ?? 0
                }
        }
        guard isAccepted else { return ChangeCount() }
        try database.remove(keys, from: table, on: day)
        return ChangeCount(removed: keys.count)
    }

    /// Returns the state of a list; nil if nothing of the list has been stored yet.
    func storedState(of list: ListName) throws -> SyncState? {
        try history.withDatabase { try $0.states(of: list.table, account: account)[ExactText(list.name)] }
    }

    /// Writes the states of lists. Two kinds of lists are left out, so that the next session reads them again: lists of
    /// which no item could be read, and lists of which suspiciously many rows are gone.
    func put(_ states: [(list: ListName, state: SyncState)], in database: Database) throws {
        let unsettled = losses.withLock { $0.unsettled }
        for (list, state) in states where !unsettled.contains(list) {
            try database.put(state, of: list, account: account)
        }
    }

    /// Whether the next session must read a list again; see ``SyncLosses/unsettled``.
    func isUnsettled(_ list: ListName) -> Bool { losses.withLock { $0.unsettled.contains(list) } }

    // MARK: Losses

    /// Records the error of a list, unless the session must end because of it. Returns whether to continue with other
    /// lists; see ``SyncLosses/recordGap(of:_:_:)``.
    func recordGap(of list: ListName, _ error: any Error) -> Bool {
        losses.withLock { $0.recordGap(of: list, error, options) }
    }

    /// Adds a sentence to the notes of the session.
    func record(note text: String) { losses.withLock { $0.record(note: text) } }

    /// Records how many items of a list, or of one of its pages, were read. Also records the items that could not be
    /// decoded, and therefore are not stored.
    func record(_ unreadable: [UnreadableItem], of list: ListName, read: Int) {
        losses.withLock { $0.record(unreadable, of: list, read: read) }
    }

    /// Returns whether at least one item of a list could not be decoded in this session so far.
    func lacksItems(of list: ListName) -> Bool { losses.withLock { $0.lacksItems(of: list) } }

    /// Records a gap for each list of which no item could be read, if the database has rows of that list.
    private func recordUnreadableLists() throws {
        for list in losses.withLock({ $0.unreadableLists }) {
            let isStored = try history.withDatabase { database in
                var query = "SELECT 1 FROM \(list.table) WHERE account = ?"
                if try database.table(list.table).keepsRemoved { query += " AND removed IS NULL" }
                if list.name.isEmpty { return try database.value("\(query) LIMIT 1", [account]) != .null }
                let columns = ["value": "attribute", "device_data_point_v2": "namespace || '/' || type"]
                query += " AND \(columns[list.table] ?? "namespace") = ? LIMIT 1"
                return try database.value(query, [account, .text(list.name)]) != .null
            }
            guard isStored else { continue }
            losses.withLock { $0.recordGap(ofUnreadable: list) }
        }
    }
}
