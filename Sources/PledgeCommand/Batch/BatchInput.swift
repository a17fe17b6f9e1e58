import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// The accounts of a batch: a file, which is read twice, or a pipe, whose length is unknown.
final class BatchInput: Sendable {
    /// The lines that were skipped.
    struct Skipped: Sendable {
        var badLines = 0
        var duplicates = 0
    }

    let file: SystemFile
    /// Reports problems of the input, and later the progress of the batch.
    let reporter: ProgressReporter
    /// Whether it can be read twice.
    private let isFile: Bool
    private let wake: WakePipe
    private let shard: Shard?
    private let only = Locked<Set<HashKey>?>(nil)
    /// Whether the input may be without accounts.
    private let acceptsEmpty: Bool
    /// The beginning of a pipe, which was read to find its first account.
    private let ahead = Locked<[UInt8]>([])
    private let stopped = Locked(false)
    private let terminal: Terminal
    private let counts = Locked(Skipped())
    private let known: Locked<BatchServers>

    init(_ options: BatchOptions) throws {
        known = Locked(try BatchServers(options.context.environment))
        shard = options.shard
        acceptsEmpty = options.acceptsEmpty
        terminal = options.context.terminal
        reporter = options.reporter
        let path = options.input
        let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? terminal.input
        guard descriptor >= 0 else { throw FileError(reading: path ?? "", errno) }
        file = SystemFile(descriptor, named: path ?? "Standard input", closes: path != nil)
        // Standard input may be in the middle of a file; the input then begins there.
        isFile = path != nil && file.isRegular
        if isFile, try file.isDatabase {
            throw UsageError("\(file.name) is a SQLite database, not lines of accounts.")
        }
        wake = try WakePipe()
    }

    /// Selects some of the accounts, before any is read; nil for all.
    func select(_ accounts: Set<HashKey>?) { only.withLock { $0 = accounts } }

    /// The number of bytes at the beginning of a pipe that are kept to find its first account.
    private static let mostAhead = 16 << 20

    /// Whether no more is to be read, although there may be more.
    var isStopped: Bool { stopped.withLock { $0 } }

    var skipped: Skipped { counts.withLock { $0 } }

    /// The servers of its accounts, as far as they are known before anything is sent.
    var servers: BatchServers { known.withLock { $0 } }

    /// Reads the whole input, if it can be read again, and reports its problems, so that the total is known before
    /// anything is sent. A pipe is read as far as its first account.
    ///
    /// - Returns: The accounts of this shard; nil for a pipe.
    /// - Throws: If there are no accounts at all, which is seldom meant: something before this failed.
    func survey() throws -> Set<HashKey>? {
        guard isFile else {
            if isatty(file.descriptor) == 1 {
                say(name: "reading", "Reading accounts from this terminal; Ctrl-D ends them.")
            }
            if !acceptsEmpty { try lookAhead() }
            return nil
        }
        let lines = LineReader(limit: AccountReader.longestLine, read: file.pieces)
        var sieve = AccountSieve(
            shard: shard, only: only.withLock { $0 }, environment: terminal.environment, servers: servers)
        while let line = try lines.next() { _ = try sieve.take(line, report) }
        guard sieve.isOfAccounts || acceptsEmpty else { throw empty }
        known.withLock { $0 = sieve.servers }
        return sieve.seen
    }

    private var empty: UsageError {
        UsageError(
            "\(file.name) has no accounts. Check what writes it, or accept that with --accept-empty if it may be empty."
        )
    }

    /// Reads a pipe as far as its first account, so that nothing is written if there is none.
    private func lookAhead() throws {
        let interrupts = Interrupts(terminal.signals) { [self] in stop() }
        defer { withExtendedLifetime(interrupts) {} }
        let source = LineReader.bytes(of: file.descriptor, wake: wake)
        let lines = LineReader(limit: AccountReader.longestLine) { [ahead] buffer in
            guard ahead.withLock(\.count) < Self.mostAhead else { return 0 }
            let count = try source(buffer)
            ahead.withLock { $0 += buffer.prefix(count) }
            return count
        }
        var (sieve, skipped) = (
            AccountSieve(shard: nil, environment: terminal.environment, servers: servers), [AccountSieve.Skipped]()
        )
        do {
            while !sieve.isOfAccounts, let line = try lines.next() { _ = try sieve.take(line) { skipped.append($0) } }
            guard sieve.isOfAccounts || isStopped else { throw empty }
        } catch {
            // Otherwise they are reported when they are read again.
            skipped.forEach(report)
            throw error
        }
    }

    /// - Parameters:
    ///   - done: The accounts to skip.
    ///   - servers: The servers known by now.
    func reader(done: Set<HashKey>, servers: BatchServers?) -> AccountReader {
        let source = LineReader.bytes(of: file.descriptor, wake: wake)
        let lines = LineReader(limit: AccountReader.longestLine) { [ahead] buffer in
            let count = ahead.withLock { ahead in
                let count = min(ahead.count, buffer.count)
                buffer.copyBytes(from: ahead.prefix(count))
                ahead.removeFirst(count)
                return count
            }
            return count > 0 ? count : try source(buffer)
        }
        return AccountReader(
            lines,
            AccountSieve(
                shard: shard, only: only.withLock { $0 }, environment: terminal.environment,
                servers: servers ?? self.servers),
            done: done
        ) { [weak self] skipped in
            // Known already for a file that was surveyed.
            if let self, !isFile { report(skipped) }
        }
    }

    /// Ends a wait for input that may never arrive.
    func stop() {
        stopped.withLock { $0 = true }
        wake.signal()
    }

    private func report(_ skipped: AccountSieve.Skipped) {
        switch skipped {
        case .bad(let line):
            counts.withLock { $0.badLines += 1 }
            say(name: "bad-line", "\(line)", facts: ["line": .integer(line.number)])
        case .duplicate(let number, let id):
            counts.withLock { $0.duplicates += 1 }
            say(
                name: "duplicate",
                "Line \(number) was skipped: \(id.service.rawValue) account “\(id.account.onOneLine)” is a duplicate.",
                facts: ["line": .integer(number)])
        }
    }

    private func say(name: String, _ words: String, facts: [String: JSONValue] = [:]) {
        reporter.say(LogEvent(name: name, words: words, facts: facts), always: true)
    }
}
