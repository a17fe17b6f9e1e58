import Foundation
import Pledge
import PledgeHTTP

/// One sync of one account, as `sync_run` has it: what it did is counted in the transactions that do it.
final class SyncRun: Sendable {
    let history: History
    let account: Int
    private let id: Int
    private let requests: RequestCount
    private let options: SyncOptions
    private let total = Locked(ChangeCount())

    init(_ history: History, service: String, name: String, options: SyncOptions, requests: RequestCount) throws {
        self.history = history
        self.options = options
        self.requests = requests
        let started = Timestamp.text(options.now())
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

    /// All of what `body` writes, and the count of it, or nothing.
    func write(_ body: (Database) throws -> ChangeCount) throws {
        let count = try history.write { database in
            let count = try body(database)
            try database.run(
                """
                UPDATE sync_run SET requests = ?, added = added + ?, changed = changed + ?, removed = removed + ?
                WHERE id = ?
                """,
                [
                    .integer(requests.value), .integer(count.added), .integer(count.changed), .integer(count.removed),
                    .integer(id),
                ])
            return count
        }
        total.withLock { $0 += count }
    }

    /// Ends it, however it went.
    func end(_ outcome: String) throws -> SyncSummary {
        _ = try history.write { database in
            try database.run(
                "UPDATE sync_run SET ended = ?, outcome = ?, requests = ? WHERE id = ?",
                [.text(Timestamp.text(options.now())), .text(outcome), .integer(requests.value), .integer(id)])
        }
        return SyncSummary(requests: requests.value, changes: total.withLock { $0 })
    }

    /// - Throws: ``SyncStopped`` if it is to end.
    func goOn() throws {
        if options.isStopped() { throw SyncStopped() }
    }
}

/// It was told to end, and did so between two requests: the next run goes on where it was.
public struct SyncStopped: Error, CustomStringConvertible {
    /// A sentence.
    public var description: String { "The sync was ended before it was done: the next one goes on where it was." }
}

/// What a sync did.
public struct SyncSummary: Equatable, Sendable, CustomStringConvertible {
    /// How many requests were sent.
    public var requests: Int
    /// What became different in the database.
    public var changes: ChangeCount

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
    /// Asked before each request: whether to end.
    public var isStopped: @Sendable () -> Bool = { false }
    /// Told how many requests are left, as far as is known.
    public var onProgress: @Sendable (_ requestsLeft: Int) -> Void = { _ in }

    /// The usual.
    public init() {}
}

/// Counts the requests of a client whose transport it is put around, further attempts included.
public final class RequestCount: Sendable {
    private let count = Locked(0)

    /// A count of none.
    public init() {}

    /// How many there were.
    public var value: Int { count.withLock { $0 } }

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
