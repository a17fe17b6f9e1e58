import Foundation
import Pledge
import PledgeCoding

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
    private let environment: [String: String]
    private let counts = Locked(Skipped())
    private let known: Locked<BatchServers>

    init(_ options: BatchOptions) throws {
        known = Locked(try BatchServers(options.environment))
        shard = options.shard
        environment = options.environment
        reporter = options.reporter
        let path = options.input
        let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
        guard descriptor >= 0 else { throw StopError(reading: path ?? "", errno) }
        file = SystemFile(descriptor, named: path ?? "Standard input", closes: path != nil)
        // Standard input may be in the middle of a file; the input then begins there.
        isFile = path != nil && file.isRegular
        if isFile, try file.isDatabase {
            throw UsageError("\(file.name) is a SQLite database, not lines of accounts.")
        }
        wake = try WakePipe()
    }

    var skipped: Skipped { counts.withLock { $0 } }

    /// The servers of its accounts, as far as they are known before anything is sent.
    var servers: BatchServers { known.withLock { $0 } }

    /// Reads the whole input, if it can be read again, and reports its problems, so that the total is known before
    /// anything is sent.
    ///
    /// - Returns: The accounts of this shard; nil for a pipe.
    func survey() throws -> Set<AccountKey>? {
        guard isFile else {
            if isatty(file.descriptor) == 1 {
                say(name: "reading", "Reading accounts from this terminal; Ctrl-D ends them.")
            }
            return nil
        }
        let lines = LineReader(limit: AccountReader.longestLine, read: file.pieces)
        var sieve = AccountSieve(shard: shard, environment: environment, servers: servers)
        while let line = try lines.next() { _ = try sieve.take(line, note) }
        known.withLock { $0 = sieve.servers }
        return sieve.met
    }

    /// - Parameters:
    ///   - done: The accounts to skip.
    ///   - servers: The servers known by now.
    func reader(done: Set<AccountKey>, servers: BatchServers?) -> AccountReader {
        AccountReader(
            LineReader(file.descriptor, limit: AccountReader.longestLine, wake: wake),
            AccountSieve(shard: shard, environment: environment, servers: servers ?? self.servers), done: done
        ) { [weak self] skipped in
            // Known already for a file that was surveyed.
            if let self, !isFile { note(skipped) }
        }
    }

    /// Ends a wait for input that may never arrive.
    func stop() {
        wake.signal()
    }

    private func note(_ skipped: AccountSieve.Skipped) {
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
