import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeFiles
import PledgeHTTP

/// The accounts of a batch. They come from a file or from a pipe. A file is read twice: first to check and count its
/// accounts, and then to process them. A pipe can be read only once, so the number of its accounts is unknown.
final class BatchInput: @unchecked Sendable {
    // Unchecked: the mutable properties have no lock. At first, only the thread that surveys the input uses them. After
    // the survey, only closures on `queue` do.

    struct Skipped: Sendable {
        var badLines = 0
        var duplicates = 0
    }

    let file: SystemFile
    /// Reports invalid lines of the input, and later the progress of the batch.
    let reporter: ProgressReporter
    let options: BatchOptions
    /// The servers to use for accounts whose lines don't name a server.
    let defaultServers: BatchServers
    private let isFile: Bool
    private let queue = DispatchQueue(label: "pledge.batch.input")
    private let stopped: Locked<Bool>
    private let counts = Locked(Skipped())
    private let waits: [AccountID.Service: WaitNotice]
    private var lines: LineReader
    private var filter: AccountFilter
    /// The first line of a pipe that describes an account. The survey reads this line to check that the pipe has
    /// accounts at all. `next` then returns the line's account.
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
        // Standard input is never read twice, even if it is a file. The accounts begin at the file's current offset,
        // but a second reading would begin at the start of the file.
        isFile = path != nil && file.isRegular
        if isFile, try file.isDatabase {
            throw UsageError("\(file.name) is a SQLite database, not a file of accounts.")
        }
        filter = try AccountFilter(options)
        defaultServers = filter.servers
        let stopped = Locked(false)
        self.stopped = stopped
        lines = LineReader(limit: AccountFilter.longestLine) { buffer in
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while !stopped.withLock({ $0 }) {
                // Waits for input only for a tenth of a second at a time. Otherwise, `stop` would have no effect while
                // no input arrives.
                guard poll(&input, 1, 100) > 0 else { continue }
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                guard errno == EINTR || errno == EAGAIN else { throw FileError(reading: "The input", errno) }
            }
            return 0
        }
    }

    /// Whether ``stop()`` was called. If so, some of the input may not have been read.
    var isStopped: Bool { stopped.withLock { $0 } }

    var skipped: Skipped { counts.withLock { $0 } }

    /// The servers of the accounts that were read so far.
    var servers: BatchServers { filter.servers }

    /// Checks the input before any request is sent. If the input is a file, reads the whole file, reports invalid
    /// lines, and counts the accounts. If the input is a pipe, reads only up to the first account, so that an empty
    /// pipe is noticed before anything is written.
    ///
    /// - Parameter only: The accounts to select; nil for all.
    /// - Returns: The selected accounts of this shard; nil for a pipe.
    /// - Throws: An error if there are no accounts, unless the option `--accept-empty` was given. An empty input
    ///   usually means that the program that writes the accounts has failed.
    func survey(_ only: Set<HashKey>? = nil) throws -> Set<HashKey>? {
        filter.only = only
        var survey = filter
        if isFile {
            let lines = LineReader(file, limit: AccountFilter.longestLine)
            while let line = try lines.next() { _ = try survey.take(line, report) }
            filter.servers = survey.servers
        } else {
            if isatty(file.descriptor) == 1 {
                let text = "Reading accounts from this terminal. Press Ctrl-D to end."
                reporter.log(LogEvent(name: "reading", text: text), always: true)
            }
            if options.arguments[BatchOptions.acceptEmpty] { return nil }
            let interrupts = Interrupts(options.context.terminal.signals) { [self] in stop() }
            defer { interrupts.end() }
            // The survey gives up after 16 MiB. Otherwise, it would never end if a program wrote blank lines forever.
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
                "\(file.name) has no accounts. Check the program that writes it. If it may be empty, add "
                    + "--accept-empty.")
        }
        return isFile ? survey.seen : nil
    }

    /// Prepares to read the accounts that the batch has to process.
    ///
    /// - Parameters:
    ///   - only: The accounts to process; nil for those that the survey selected.
    ///   - done: The accounts to leave out because they already have results.
    ///   - servers: The servers that accounts must use; nil for those that the survey found.
    func begin(only: Set<HashKey>? = nil, done: Set<HashKey> = [], servers: BatchServers? = nil) {
        filter.only = only ?? filter.only
        filter.servers = servers ?? filter.servers
        self.done = done
    }

    /// Returns the next account, or nil at the end of the input. Reading may block the thread, so it happens on a queue
    /// of its own.
    func next() -> Promise<AccountLine?> {
        queue.async(.promise) { [self] () throws -> AccountLine? in
            while !isStopped, let line = try ahead.take() ?? lines.next() {
                // If the input is a file, the survey has already reported the skipped lines.
                let account = try filter.take(line) { if !isFile { report($0, $1, $2) } }
                if let account, !done.contains(account.id.key), !isStopped { return account }
            }
            return nil
        }
    }

    /// Returns a source from which a batch gets the accounts, one after another.
    ///
    /// - Parameters:
    ///   - failedBefore: The accounts for which a service failed in the previous run.
    ///   - work: Processes an account.
    func items(
        failedBefore: Set<HashKey>, _ work: @escaping @Sendable (RunningAccount) -> Promise<BatchItem.Outcome>
    ) -> BatchEngine.Source {
        let limits = options.limits
        return { [self] in
            next().map(on: nil) { account in
                guard let account else { return nil }
                let service = account.id.service
                // Accounts with the same token share the token's rate limit. A renewed token shares the limit of the
                // token that it replaces. If no token can be read, the account sends no request, so it needs no limit.
                let limit = BatchLimit(
                    service: service.rawValue, token: account.token.limitOwner(), requests: limits[service])
                return BatchItem(limit, failedBefore: failedBefore.contains(account.id.key)) { [self] slot in
                    let address = defaultServers.address(of: service, own: account.address)
                    return work(RunningAccount(account, slot, at: address, options, onWait: waits[service]?.announce))
                }
            }
        }
    }

    /// Stops reading, even while the input is waiting for more data. The batch then gets no more accounts.
    func stop() { stopped.withLock { $0 = true } }

    private func report(_ problem: AccountFilter.Problem, _ line: Int, _ reason: String) {
        counts.withLock { counts in
            switch problem {
            case .badLine: counts.badLines += 1
            case .duplicate: counts.duplicates += 1
            }
        }
        let text = "Line \(line) was skipped: \(reason)"
        reporter.log(LogEvent(name: problem.rawValue, text: text, facts: ["line": .integer(line)]), always: true)
    }
}

/// One of several parts into which the accounts are divided. Every machine divides the accounts in the same way. The
/// text `2/8` stands for the third of eight parts, because parts are counted from 0.
struct Shard: Sendable {
    var index: Int
    var count: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1], index >= 0, index < count else {
            return nil
        }
        self.index = index
        self.count = count
    }

    func contains(_ id: AccountID) -> Bool {
        id.shardHash % UInt64(count) == UInt64(index)
    }
}

/// The server of each service in a batch.
///
/// A token is sent only to the server of its account. All accounts of a service must have the same server. So the
/// results never mix the data of two servers, such as real data and invented data of the sandbox.
struct BatchServers: Sendable {
    typealias Service = AccountID.Service

    /// The base URLs that the environment specifies.
    private let given: [Service: URL]
    /// The base URLs of the accounts so far. `source` is what specified the URL, such as `EXIST_BASE_URL` or `line 1`.
    private var known: [Service: (address: URL, source: String)] = [:]

    init(_ environment: [String: String]) throws(UsageError) {
        var given: [Service: URL] = [:]
        for service in Service.allCases { given[service] = try service.givenAddress(environment) }
        self.given = given
        for (service, address) in given { known[service] = (address, service.addressName) }
    }

    /// Returns the base URL for an account.
    ///
    /// - Parameter own: The base URL in the account's line, if any. It takes precedence over the environment's URL and
    ///   the service's default.
    func address(of service: Service, own: URL?) -> URL { own ?? given[service] ?? service.defaultAddress }

    /// Records the server of an account. Throws if earlier accounts of the service use another server.
    ///
    /// - Parameters:
    ///   - own: The base URL in the account's line, if any.
    ///   - source: What contains the account, such as `line 1` or the name of a file. The error mentions it.
    mutating func take(_ service: Service, own: URL?, from source: @autoclosure () -> String) throws(UsageError) {
        let address = address(of: service, own: own)
        guard let before = known[service] else {
            known[service] = (address, source())
            return
        }
        guard before.address != address else { return }
        let isGiven = before.source == service.addressName
        throw UsageError(
            "For \(service.title), \(before.source) has the server \(before.address.redacted), but \(source()) has "
                + "\(address.redacted)\(own == nil ? ", because it doesn't name one" : ""). A token is sent only to "
                + "its own server, and a run uses one server for each service: "
                + (isGiven ? "unset \(service.addressName), or omit these accounts." : "use a separate file for each."))
    }
}
