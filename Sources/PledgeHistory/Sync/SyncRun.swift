import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// One sync of one account: a row of `sync_run`, whose counts are updated in the same transactions as the data.
final class SyncRun: Sendable {
    let history: History
    let account: Int
    private let id: Int
    let options: SyncOptions
    private let total = Locked(ChangeCount())
    private let missing = Locked(Missing())

    /// What the run continues without.
    private struct Missing {
        var failure: (any Error)?
        var notes: [String] = []
        /// The number of items that are not among the notes.
        var more = 0

        var lines: [String] { more == 0 ? notes : notes + ["\(more) more items could not be read."] }
    }

    init(_ history: History, service: String, name: String, options: SyncOptions) throws {
        self.history = history
        self.options = options
        let started = TimestampColumn.text(options.now())
        (account, id) = try history.write { database in
            let (key, address) = ([SQLValue.text(service), .text(name)], SQLValue(options.address))
            try database.run("INSERT OR IGNORE INTO account (service, name, address) VALUES (?, ?, ?)", key + [address])
            let account = try database.value("SELECT id FROM account WHERE service = ? AND name = ?", key)
            let stored = try database.value("SELECT address FROM account WHERE id = ?", [account])
            guard stored == address else {
                throw DatabaseError(
                    .other,
                    "\(database.file) has the account “\(name.prefix(40))” of \(Self.words(stored)), and would now get that "
                        + "of \(Self.words(address)): use another database, or another name.")
            }
            try database.run("INSERT INTO sync_run (account, started) VALUES (?, ?)", [account, .text(started)])
            return (account.integer ?? 0, try database.value("SELECT last_insert_rowid()").integer ?? 0)
        }
    }

    private static func words(_ address: SQLValue) -> String { address.text ?? "the usual server" }

    var key: SQLValue { .integer(account) }

    /// All rows of this account in a table.
    var everything: Table.Part { Table.Part(key: [key]) }

    /// Runs `body` and records the count it returns, in a single transaction.
    func write(_ body: (Database) throws -> ChangeCount) throws {
        let count = try history.write { database in
            let count = try body(database)
            // If nothing has changed, there is nothing to record; all requests are recorded at the end.
            guard count != ChangeCount() else { return count }
            try database.run(
                """
                UPDATE sync_run SET requests = ?, added = added + ?, changed = changed + ?, removed = removed + ?
                WHERE id = ?
                """,
                [
                    .integer(options.requests.value), .integer(count.added), .integer(count.changed),
                    .integer(count.removed), .integer(id),
                ])
            return count
        }
        total.withLock { $0 += count }
    }

    /// Writes the rows of a list that the service returns as a whole. If they are all, removes this account's other rows.
    func keep(_ rows: [[SQLValue]], in table: String, areAll: Bool) throws {
        try write { try $0.put(rows, into: table, within: everything, isAll: areAll) }
    }

    /// Performs the work and records its outcome.
    func following(_ work: @escaping @Sendable () -> Promise<Void>) -> Promise<SyncSummary> {
        firstly(execute: work).map(on: history.queue) {
            let missing = self.missing.withLock { $0 }
            if let failure = missing.failure { throw failure }
            try self.end("done")
            return SyncSummary(
                requests: self.options.requests.value, changes: self.total.withLock { $0 }, notes: missing.lines)
        }.recover(on: history.queue, policy: .allErrors) { error -> Promise<SyncSummary> in
            // The original error matters more than a failure to record it.
            try? error.isCancelled ? self.end("ended") : self.end("failed", self.options.describe(error))
            throw error
        }
    }

    /// - Parameter failure: A description of the error, which precedes the notes about lists that could not be read.
    private func end(_ outcome: String, _ failure: String? = nil) throws {
        let lines = [failure].compactMap { $0 } + missing.withLock(\.lines)
        let error = lines.isEmpty ? nil : lines.joined(separator: "\n")
        _ = try history.write { database in
            try database.run(
                "UPDATE sync_run SET ended = ?, outcome = ?, error = ?, requests = ? WHERE id = ?",
                [
                    .text(TimestampColumn.text(options.now())), .text(outcome), SQLValue(error),
                    .integer(options.requests.value), .integer(id),
                ])
        }
    }

    /// Reads one list after another until the run is to end, and continues with the next if an error affects only one of
    /// them.
    func inTurn(_ lists: [(name: String, read: @Sendable () throws -> Promise<Void>)]) -> Promise<Void> {
        lists.reduce(Promise()) { before, list in
            before.then(on: history.queue) { _ -> Promise<Void> in
                try self.goOn()
                return firstly(execute: list.read).recover(on: self.history.queue) { error in
                    guard self.goesOn(without: list.name, error) else { throw error }
                }
            }
        }
    }

    /// Records an error, and returns whether to continue without the list because the error affects only that one. If
    /// the service itself has failed, the run reads the rest and then fails.
    func goesOn(without list: String, _ error: any Error) -> Bool {
        let trouble = error.trouble
        guard trouble != .account else { return false }
        missing.withLock { missing in
            if trouble == .service, missing.failure == nil {
                missing.failure = error
            } else {
                missing.notes.append("\(list) could not be read: \(options.describe(error))")
            }
        }
        return true
    }

    /// Notes items of a list that could not be decoded, and are therefore not in its table.
    func note(_ unreadable: [UnreadableItem], of table: @autoclosure () -> String) {
        guard !unreadable.isEmpty else { return }
        missing.withLock { missing in
            let room = max(0, Self.mostNotes - missing.notes.count)
            missing.notes += unreadable.prefix(room).map { "Not in \(table()): \($0)." }
            missing.more += max(0, unreadable.count - room)
        }
    }

    /// The number of notes after which items are only counted, since a service could send millions.
    private static let mostNotes = 20

    /// - Throws: `PromiseError.cancelled` if the sync is to end.
    func goOn() throws {
        if options.isStopped() { throw PromiseError.cancelled }
    }
}

/// The results of a completed sync.
public struct SyncSummary: Equatable, Sendable, CustomStringConvertible {
    /// The number of requests that were sent.
    public var requests: Int
    /// The numbers of rows that changed in the database.
    public var changes: ChangeCount
    /// A sentence for each list or attribute that could not be read. Its stored values are unchanged.
    public var notes: [String] = []

    /// A clause such as `7 requests, 12 added, 3 changed, none removed`.
    public var description: String {
        func text(_ number: Int) -> String { number == 0 ? "none" : "\(number)" }
        let noun = requests == 1 ? "request" : "requests"
        return "\(requests) \(noun), \(text(changes.added)) added, \(text(changes.changed)) changed, "
            + "\(text(changes.removed)) removed"
    }
}

/// The options that control a sync.
public struct SyncOptions: Sendable {
    /// The number of days before the last sync that are read again, because services correct past values.
    public var overlap = 14
    /// Returns the current time, which is recorded for each sync. What to request depends on the services' clocks; this
    /// one only keeps a time stamp in the future from becoming a bookmark.
    public var now: @Sendable () -> Date = { Date() }
    /// The counter of the sync's requests. It counts only if the client uses its transport.
    public var requests = RequestCount()
    /// Called between requests. Returning true ends the sync in the same way as canceling it.
    public var isStopped: @Sendable () -> Bool = { false }
    /// Returns the description of an error to record. Use it to remove anything that must not be stored.
    public var describe: @Sendable (any Error) -> String = { "\($0)" }
    /// Called with the number of requests left, as far as known.
    public var onProgress: @Sendable (_ requestsLeft: Int) -> Void = { _ in }

    /// The address of the account's server if it is not the usual one: data of two servers is never mixed in an account.
    package var address: String?

    /// Creates the default options, which suit syncing a user's own data at least once a day.
    public init() {}
}

/// A counter of the requests of a client whose transport it wraps, including retries.
public final class RequestCount: Sendable {
    private let count = Locked(0)
    private let counted: (@Sendable () -> Int)?

    /// Creates a counter that starts at zero.
    public init() { counted = nil }

    /// Creates a counter that reads a count kept elsewhere.
    public init(_ counted: @escaping @Sendable () -> Int) { self.counted = counted }

    /// The number of requests so far.
    public var value: Int { counted?() ?? count.withLock { $0 } }

    /// Returns a transport for the client that counts each request and sends it through the given transport.
    public func counting(_ transport: any HTTPTransport) -> any HTTPTransport {
        Counted(count: self, transport: transport)
    }

    private struct Counted: HTTPTransport {
        let count: RequestCount
        let transport: any HTTPTransport

        func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
            count.count.withLock { $0 += 1 }
            return transport.send(request)
        }
    }
}
