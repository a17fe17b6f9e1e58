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
                reporter.say(LogEvent(name: "wait", words: $0))
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
                let words = "Reading accounts from this terminal; Ctrl-D ends them."
                reporter.say(LogEvent(name: "reading", words: words), always: true)
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
        let words = "Line \(line) was skipped: \(reason)"
        reporter.say(LogEvent(name: event, words: words, facts: ["line": .integer(line)]), always: true)
    }
}
