import Foundation
import Pledge
import PledgeHTTP

/// One sync of one account, as `sync_run` has it: what it did is counted in the transactions that do it.
final class SyncRun: Sendable {
    let history: History
    let account: Int
    private let id: Int
    let options: SyncOptions
    private let total = Locked(ChangeCount())
    private let missing = Locked<(notes: [String], failure: (any Error)?)>(([], nil))

    init(_ history: History, service: String, name: String, options: SyncOptions) throws {
        self.history = history
        self.options = options
        let started = TimestampColumn.text(options.now())
        (account, id) = try history.write { database in
            try database.run(
                "INSERT OR IGNORE INTO account (service, name) VALUES (?, ?)", [.text(service), .text(name)])
            let account = try database.value(
                "SELECT id FROM account WHERE service = ? AND name = ?", [.text(service), .text(name)])
            try database.run("INSERT INTO sync_run (account, started) VALUES (?, ?)", [account, .text(started)])
            return (account.integer ?? 0, try database.value("SELECT last_insert_rowid()").integer ?? 0)
        }
    }

    var key: SQLValue { .integer(account) }

    /// What this account has in a table.
    var everything: Table.Part { Table.Part(key: [key]) }

    /// All of what `body` writes, and the count of it, or nothing.
    func write(_ body: (Database) throws -> ChangeCount) throws {
        let count = try history.write { database in
            let count = try body(database)
            // Where nothing has changed there is nothing to write; the end counts all requests.
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

    /// Writes rows of a list that the service gives as a whole; other rows of this account are removed if they are all.
    func keep(_ rows: [[SQLValue]], in table: String, areAll: Bool) throws {
        try write { try $0.put(rows, into: table, within: everything, isAll: areAll) }
    }

    /// Does the work, and notes how it ended.
    func following(_ work: @escaping @Sendable () -> Promise<Void>) -> Promise<SyncSummary> {
        firstly(execute: work).map(on: history.queue) {
            let (notes, failure) = self.missing.withLock { $0 }
            if let failure { throw failure }
            try self.end("done")
            return SyncSummary(
                requests: self.options.requests.value, changes: self.total.withLock { $0 }, notes: notes)
        }.recover(on: history.queue, policy: .allErrors) { error -> Promise<SyncSummary> in
            // What went wrong matters more than that it could not be noted.
            try? error.isCancelled ? self.end("ended") : self.end("failed", self.options.describe(error))
            throw error
        }
    }

    /// - Parameter failure: comes before what the run had to go on without.
    private func end(_ outcome: String, _ failure: String? = nil) throws {
        let lines = [failure].compactMap { $0 } + missing.withLock { $0.notes }
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

    /// Reads one list after another until it is to end, and goes on with the others where the trouble is with one of them
    /// alone.
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

    /// Whether this run goes on without a list, because the trouble is with that one. It notes that, and where the
    /// service has a problem of its own, the run is to fail once it has the rest.
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

    /// - Throws: that it was cancelled, if it is to end.
    func goOn() throws {
        if options.isStopped() { throw PromiseError.cancelled }
    }
}

/// What a sync did.
public struct SyncSummary: Equatable, Sendable, CustomStringConvertible {
    /// How many requests were sent.
    public var requests: Int
    /// What became different in the database.
    public var changes: ChangeCount
    /// What it had to go on without, a sentence each; stored values of that stay as they were.
    public var notes: [String] = []

    /// A clause such as `7 requests, 12 rows added, 3 changed, none removed`.
    public var description: String {
        func text(_ number: Int) -> String { number == 0 ? "none" : "\(number)" }
        let noun = requests == 1 ? "request" : "requests"
        return "\(requests) \(noun), \(text(changes.added)) added, \(text(changes.changed)) changed, "
            + "\(text(changes.removed)) removed"
    }
}

/// How a sync goes about its work.
public struct SyncOptions: Sendable {
    /// How many days before the last sync are read again, since services correct the past.
    public var overlap = 14
    /// The time, for the record of what ran when. What to ask for goes by the services' clocks; this one only keeps a
    /// stamp that lies in the future from becoming a bookmark.
    public var now: @Sendable () -> Date = { Date() }
    /// Counts the requests of one sync, if the client was given its transport.
    public var requests = RequestCount()
    /// Asked before each request: whether to end, which is being cancelled between two of them.
    public var isStopped: @Sendable () -> Bool = { false }
    /// What to note of an error; the place to take out what nobody is to read.
    public var describe: @Sendable (any Error) -> String = { "\($0)" }
    /// Told how many requests are left, as far as is known.
    public var onProgress: @Sendable (_ requestsLeft: Int) -> Void = { _ in }

    /// What suits a sync of one's own data, once a day or more often.
    public init() {}
}

/// Counts the requests of a client whose transport it is put around, further attempts included.
public final class RequestCount: Sendable {
    private let count = Locked(0)
    private let counted: (@Sendable () -> Int)?

    /// A count of none.
    public init() { counted = nil }

    /// What somebody else counts.
    public init(_ counted: @escaping @Sendable () -> Int) { self.counted = counted }

    /// How many there were.
    public var value: Int { counted?() ?? count.withLock { $0 } }

    /// The transport to give to the client.
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
