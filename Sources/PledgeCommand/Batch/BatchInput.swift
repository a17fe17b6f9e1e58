import Foundation
import Pledge

/// The accounts of a batch: a file, which is read twice, or a pipe, of which nobody can know what will come.
final class BatchInput: Sendable {
    /// What was left out of it.
    struct Skipped: Sendable, Equatable {
        var badLines = 0
        var duplicates = 0
    }

    let file: SystemFile
    /// Whether it can be read again.
    private let isFile: Bool
    private let wake: WakePipe
    private let shard: Shard?
    private let environment: [String: String]
    private let counts = Locked(Skipped())

    /// - Parameter path: nil for standard input.
    init(_ path: String?, shard: Shard?, environment: [String: String]) throws {
        self.shard = shard
        self.environment = environment
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
    func survey(_ say: @escaping @Sendable (LogEvent) -> Void) throws -> Set<AccountKey>? {
        guard isFile else {
            if isatty(file.descriptor) == 1 {
                say(LogEvent(name: "reading", words: "Reading accounts from this terminal; Ctrl-D ends them."))
            }
            return nil
        }
        let lines = LineReader(limit: AccountReader.longestLine, read: file.pieces)
        var sieve = AccountSieve(shard: shard, environment: environment)
        while let line = try lines.next() {
            _ = try sieve.take(line) { note($0, say) }
        }
        return sieve.met
    }

    /// - Parameter done: accounts that are not to be done.
    func reader(done: Set<AccountKey>, _ say: @escaping @Sendable (LogEvent) -> Void) -> AccountReader {
        AccountReader(
            LineReader(file.descriptor, limit: AccountReader.longestLine, wake: wake),
            AccountSieve(shard: shard, environment: environment), done: done
        ) { [weak self] skipped in
            // Of a file that was surveyed this is known already.
            if let self, !isFile { note(skipped, say) }
        }
    }

    /// Ends a wait for what may never come.
    func stop() {
        wake.signal()
    }

    private func note(_ skipped: AccountSieve.Skipped, _ say: (LogEvent) -> Void) {
        switch skipped {
        case .bad(let line):
            counts.withLock { $0.badLines += 1 }
            say(LogEvent(name: "bad-line", words: "\(line)", facts: ["line": .integer(line.number)]))
        case .duplicate(let number, let id):
            counts.withLock { $0.duplicates += 1 }
            say(
                LogEvent(
                    name: "duplicate",
                    words: "Line \(number) was left out: \(id.service.rawValue) account “\(id.account.onOneLine)” came "
                        + "before.",
                    facts: ["line": .integer(number)]))
        }
    }
}
