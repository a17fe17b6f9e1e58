import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// The accounts of a batch, from a file, which is read twice, or from a pipe of unknown length.
final class BatchInput: @unchecked Sendable {
    // Unchecked: the reader is used by the surveying thread, and afterwards only on `queue`.

    struct Skipped: Sendable {
        var badLines = 0
        var duplicates = 0
    }

    let file: SystemFile
    /// Reports invalid input, and later the progress of the batch.
    let reporter: ProgressReporter
    let options: BatchOptions
    /// The servers of accounts whose lines specify none.
    let defaultServers: BatchServers
    private let isFile: Bool
    private let queue = DispatchQueue(label: "pledge.batch.input")
    private let stopped: Locked<Bool>
    private let counts = Locked(Skipped())
    private let waits: [AccountID.Service: WaitNotice]
    private var lines: LineReader
    private var filter: AccountFilter
    /// The first account of a pipe, read to check that there is one.
    private var ahead: LineReader.Line?
    private var done: Set<HashKey> = []

    init(_ options: BatchOptions) throws {
        self.options = options
        let reporter = ProgressReporter(options)
        self.reporter = reporter
        let notices = AccountID.Service.allCases.map { service in
            let notice = WaitNotice(service.title, options.context.clock, isOfMany: true) {
                reporter.log(LogEvent(name: "wait", text: $0))
            }
            return (service, notice)
        }
        waits = Dictionary(uniqueKeysWithValues: notices)
        let path = options.input
        let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? options.context.terminal.input
        guard descriptor >= 0 else { throw FileError(reading: path ?? "", errno) }
        file = SystemFile(descriptor, named: path ?? "Standard input", closes: path != nil)
        if path != nil { try file.refuseOtherWriters() }
        // The input begins at the current offset of standard input.
        isFile = path != nil && file.isRegular
        if isFile, try file.isDatabase {
            throw UsageError("\(file.name) is a SQLite database, not lines of accounts.")
        }
        filter = try AccountFilter(options)
        defaultServers = filter.servers
        let stopped = Locked(false)
        self.stopped = stopped
        lines = LineReader(limit: AccountFilter.longestLine) { buffer in
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while !stopped.withLock({ $0 }) {
                // Looks ten times a second whether it is still wanted: input may never arrive.
                guard poll(&input, 1, 100) > 0 else { continue }
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                guard errno == EINTR || errno == EAGAIN else { throw FileError(reading: "The input", errno) }
            }
            return 0
        }
    }

    /// Whether reading was stopped, perhaps before the end.
    var isStopped: Bool { stopped.withLock { $0 } }

    var skipped: Skipped { counts.withLock { $0 } }

    /// The servers of the accounts read so far.
    var servers: BatchServers { filter.servers }

    /// Reads a file to its end, to report invalid lines and count accounts before any request; a pipe up to its first
    /// account, so that nothing is written if there is none.
    ///
    /// - Parameter only: The accounts to select; nil for all.
    /// - Returns: The accounts of this shard; nil for a pipe.
    /// - Throws: If there are no accounts, which suggests that an earlier program failed.
    func survey(_ only: Set<HashKey>? = nil) throws -> Set<HashKey>? {
        filter.only = only
        var survey = filter
        if isFile {
            let lines = LineReader(file, limit: AccountFilter.longestLine)
            while let line = try lines.next() { _ = try survey.take(line, report) }
            filter.servers = survey.servers
        } else {
            if isatty(file.descriptor) == 1 {
                let text = "Reading accounts from this terminal; Ctrl-D ends them."
                reporter.log(LogEvent(name: "reading", text: text), always: true)
            }
            if options.arguments[BatchOptions.acceptEmpty] { return nil }
            let interrupts = Interrupts(options.context.terminal.signals) { [self] in stop() }
            defer { interrupts.end() }
            // Whoever writes other lines without end is told so.
            var length = 0
            while !survey.isOfAccounts, length < 16 << 20, let line = try lines.next() {
                length = line.range.upperBound
                filter = survey
                _ = try survey.take(line, report)
                ahead = line
            }
        }
        guard survey.isOfAccounts || isStopped || options.arguments[BatchOptions.acceptEmpty] else {
            throw UsageError(
                "\(file.name) has no accounts. Check what writes it, or accept that with --accept-empty if it may be "
                    + "empty.")
        }
        return isFile ? survey.seen : nil
    }

    /// Prepares to read the remaining accounts: those in `only`, else those of the survey, but for those in `done`.
    func begin(only: Set<HashKey>? = nil, done: Set<HashKey> = [], servers: BatchServers? = nil) {
        filter.only = only ?? filter.only
        filter.servers = servers ?? filter.servers
        self.done = done
    }

    /// Returns the next account; nil at the end. Reading may block, so it has its own queue.
    func next() -> Promise<AccountLine?> {
        queue.async(.promise) { [self] () throws -> AccountLine? in
            while !isStopped, let line = try ahead.take() ?? lines.next() {
                // The survey has reported what is skipped of a file.
                let account = try filter.take(line) { if !isFile { report($0, $1, $2) } }
                if let account, !done.contains(account.id.key), !isStopped { return account }
            }
            return nil
        }
    }

    /// Returns a source of the accounts, all with the same work.
    ///
    /// - Parameters:
    ///   - limits: The requests per hour for each token; a service without an entry reports its own limit.
    ///   - failedBefore: The accounts for which a service failed in the run before this one.
    func items(
        limits: [AccountID.Service: Int], failedBefore: Set<HashKey>,
        _ work: @escaping @Sendable (AccountSlot) -> Promise<BatchItem.Outcome>
    ) -> BatchEngine.Source {
        { [self] in
            next().map(on: nil) { account in
                guard let account else { return nil }
                let service = account.id.service
                // Accounts with the same token share its limit, and a renewed one keeps its owner. Without one, no
                // request is sent.
                let limit = BatchLimit(
                    service: service.rawValue, token: account.token.owner(), requests: limits[service])
                return BatchItem(limit, failedBefore: failedBefore.contains(account.id.key)) { [self] slot in
                    let address = defaultServers.address(of: service, own: account.address)
                    return work(AccountSlot(account, slot, at: address, options, onWait: waits[service]?.note))
                }
            }
        }
    }

    /// Stops waiting for input.
    func stop() { stopped.withLock { $0 = true } }

    private func report(_ event: String, _ line: Int, _ reason: String) {
        counts.withLock { $0[keyPath: event == "bad-line" ? \Skipped.badLines : \.duplicates] += 1 }
        let text = "Line \(line) was skipped: \(reason)"
        reporter.log(LogEvent(name: event, text: text, facts: ["line": .integer(line)]), always: true)
    }
}

/// A line of input, such as `{"service":"exist","account":"a-17","token":"…"}`.
///
/// The token may be an object that specifies its origin; `"address":"https://…"` specifies the token's server.
struct AccountLine: Sendable {
    var id: AccountID
    /// The base URL of the token's server, if the line has one.
    var address: URL?
    var kind: ExistCredential.Kind
    var token: TokenOrigin

    /// The maximum length of a name, since resuming reads it from the start of each result; longer ones are mistakes.
    static let longestName = 1024

    init(_ bytes: [UInt8], environment: [String: String]) throws(BadLine) {
        // Foundation's message may quote the line, and thus the token.
        guard let json = try? JSONSerialization.jsonObject(with: Data(bytes)), let object = json as? [String: Any]
        else {
            throw BadLine("it is not a JSON object on one line")
        }
        guard let word = object["service"] as? String, let service = AccountID.Service(rawValue: word) else {
            throw BadLine("“service” is neither “exist” nor “mydatahelps”")
        }
        guard let account = object["account"] as? String, !account.isEmpty else {
            throw BadLine("“account” is missing, or not a string")
        }
        guard account.utf8.count <= Self.longestName else {
            throw BadLine("“account” is longer than \(Self.longestName) bytes")
        }
        id = AccountID(service: service, account: account)
        switch object["kind"] {
        case nil, is NSNull, "bearer" as String: kind = .bearer
        case "simple" as String where service == .exist: kind = .simple
        default: throw BadLine("“kind” is neither “bearer” nor, for Exist, “simple”")
        }
        switch object["address"] {
        case nil, is NSNull: address = nil
        case let text as String:
            do throws(UsageError) {
                address = try service.address(text, from: "“address”", environment)
            } catch {
                throw BadLine(String(error.description.dropLast()))
            }
        default: throw BadLine("“address” is not a string")
        }
        token = try TokenOrigin(object["token"], of: service, kind, environment)
    }
}

/// The reason a line is not an account, as a clause without text from the line.
struct BadLine: Error {
    var problem: String

    init(_ problem: String) { self.problem = problem }
}

/// The identity of an account: the service, and the caller's name for it.
struct AccountID: Hashable, Sendable {
    typealias Service = Access.Service

    var service: Service
    var account: String

    /// The account in a sentence.
    var title: String { "\(service.rawValue) account “\(account.onOneLine)”" }

    /// The dividend of `--shard`, the same on every machine: 64-bit FNV-1a, folded, as its low bits are not uniform.
    var shardHash: UInt64 {
        let name = "\(service.rawValue)\0\(account)"
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash ^ (hash >> 32)
    }

    /// The key of a finished account: 16 bytes for any name. Two of a million accounts collide with probability 10⁻²⁶.
    var key: HashKey { HashKey(service.rawValue, account) }
}

extension AccountID.Service {
    /// Returns the title of the service with this raw value.
    static func title(of name: String) -> String { Self(rawValue: name)?.title ?? name }
}
