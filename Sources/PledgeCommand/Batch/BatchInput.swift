import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// The accounts of a batch. They come from a file, which is read twice, or from a pipe, whose length is unknown.
final class BatchInput: @unchecked Sendable {
    // Unchecked: only the surveying thread uses the reader, and after the survey only `queue`.

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
    /// The first line of a pipe with an account. The survey reads it to check that there is one.
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
        // If the input is standard input, it begins at the current offset, so it is not read twice even if it is a
        // file.
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
                // Checks ten times a second whether the input is still wanted, because input may never arrive.
                guard poll(&input, 1, 100) > 0 else { continue }
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                guard errno == EINTR || errno == EAGAIN else { throw FileError(reading: "The input", errno) }
            }
            return 0
        }
    }

    /// Whether reading was stopped, perhaps before the end of the input.
    var isStopped: Bool { stopped.withLock { $0 } }

    var skipped: Skipped { counts.withLock { $0 } }

    /// The servers of the accounts read so far.
    var servers: BatchServers { filter.servers }

    /// Reads a file to its end, to report invalid lines and count accounts before any request is sent. Reads a pipe
    /// only up to its first account, so that nothing is written if there is none.
    ///
    /// - Parameter only: The accounts to select; nil for all.
    /// - Returns: The accounts of this shard; nil for a pipe.
    /// - Throws: If there are no accounts: probably, the program that writes them has failed.
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
            // The limit of 16 MiB ends the loop if a program endlessly writes lines without an account.
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

    /// Prepares to read the remaining accounts: those in `only`, or else those that the survey selected, without those
    /// in `done`.
    func begin(only: Set<HashKey>? = nil, done: Set<HashKey> = [], servers: BatchServers? = nil) {
        filter.only = only ?? filter.only
        filter.servers = servers ?? filter.servers
        self.done = done
    }

    /// Returns the next account; nil at the end of the input. Reading may block, so it is done on a queue of its own.
    func next() -> Promise<AccountLine?> {
        queue.async(.promise) { [self] () throws -> AccountLine? in
            while !isStopped, let line = try ahead.take() ?? lines.next() {
                // For a file, the survey has already reported the skipped lines.
                let account = try filter.take(line) { if !isFile { report($0, $1, $2) } }
                if let account, !done.contains(account.id.key), !isStopped { return account }
            }
            return nil
        }
    }

    /// Returns a source of the accounts. All accounts have the same work.
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
                // Accounts with the same token share the token's limit. A renewed token has the same owner as before.
                // If no token can be read, the account sends no request.
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
/// The token may be an object that specifies where the token comes from. `"address":"https://…"` specifies the token's
/// server.
struct AccountLine: Sendable {
    var id: AccountID
    /// The base URL of the token's server, if the line has one.
    var address: URL?
    var kind: ExistCredential.Kind
    var token: TokenOrigin

    /// The maximum length of a name. A resumed run reads the name from the start of each result. Longer names are
    /// mistakes.
    static let longestName = 1024

    init(_ bytes: [UInt8], environment: [String: String]) throws(BadLine) {
        // Does not use Foundation's message, because it may quote the line, and thus the token.
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

/// The reason why a line is not an account. It is a clause, and contains no text from the line.
struct BadLine: Error {
    var problem: String

    init(_ problem: String) { self.problem = problem }
}

/// The identity of an account: the service, and the name that the caller gave the account.
struct AccountID: Hashable, Sendable {
    typealias Service = Access.Service

    var service: Service
    var account: String

    /// The account's name in sentences.
    var title: String { "\(service.rawValue) account “\(account.onOneLine)”" }

    /// The number whose remainder is the account's shard, which is the same on every machine. It is a 64-bit FNV-1a
    /// hash. Its upper half is folded into the lower one, because the low bits of such a hash are not uniform.
    var shardHash: UInt64 {
        let name = "\(service.rawValue)\0\(account)"
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash ^ (hash >> 32)
    }

    /// The key of a finished account: 16 bytes, regardless of the name's length. Two of a million accounts collide with
    /// probability 10⁻²⁶.
    var key: HashKey { HashKey(service.rawValue, account) }
}

extension AccountID.Service {
    /// Returns the title of the service with this raw value.
    static func title(of name: String) -> String { Self(rawValue: name)?.title ?? name }
}
