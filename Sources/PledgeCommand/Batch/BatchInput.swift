import Foundation
import Pledge
import PledgeCoding

/// The accounts of a batch: a file, which is read twice, or a pipe, of which nobody can know what will come.
final class BatchInput: Sendable {
    /// What was left out of it.
    struct Skipped: Sendable {
        var badLines = 0
        var duplicates = 0
    }

    let file: SystemFile
    /// Told what is wrong with it, and how far the batch is later.
    let reporter: ProgressReporter
    /// Whether it can be read again.
    private let isFile: Bool
    private let wake: WakePipe
    private let shard: Shard?
    private let environment: [String: String]
    private let counts = Locked(Skipped())

    init(_ options: BatchOptions, environment: [String: String]) throws {
        shard = options.shard
        self.environment = environment
        reporter = options.reporter
        let path = options.input
        let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
        guard descriptor >= 0 else { throw StopError(reading: path ?? "", errno) }
        file = SystemFile(descriptor, named: path ?? "Standard input", closes: path != nil)
        // Standard input may be somewhere in the middle of a file, which is its beginning then.
        isFile = path != nil && file.isRegular
        if isFile, try file.isDatabase {
            throw UsageError("\(file.name) is a SQLite database, and not lines of accounts.")
        }
        wake = try WakePipe()
    }

    var skipped: Skipped { counts.withLock { $0 } }

    /// Reads it through, if it can be read again, and says what is wrong with it: so that what is left is known before
    /// anything is sent.
    ///
    /// - Returns: its accounts, those of this shard; nil for a pipe.
    func survey() throws -> Set<AccountKey>? {
        guard isFile else {
            if isatty(file.descriptor) == 1 {
                say(name: "reading", "Reading accounts from this terminal; Ctrl-D ends them.")
            }
            return nil
        }
        let lines = LineReader(limit: AccountReader.longestLine, read: file.pieces)
        var sieve = AccountSieve(shard: shard, environment: environment)
        while let line = try lines.next() { _ = try sieve.take(line, note) }
        return sieve.met
    }

    /// - Parameter done: accounts that are not to be done.
    func reader(done: Set<AccountKey>) -> AccountReader {
        AccountReader(
            LineReader(file.descriptor, limit: AccountReader.longestLine, wake: wake),
            AccountSieve(shard: shard, environment: environment), done: done
        ) { [weak self] skipped in
            // Of a file that was surveyed this is known already.
            if let self, !isFile { note(skipped) }
        }
    }

    /// Ends a wait for what may never come.
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
                "Line \(number) was left out: \(id.service.rawValue) account “\(id.account.onOneLine)” came before.",
                facts: ["line": .integer(number)])
        }
    }

    private func say(name: String, _ words: String, facts: [String: JSONValue] = [:]) {
        reporter.say(LogEvent(name: name, words: words, facts: facts), always: true)
    }
}
