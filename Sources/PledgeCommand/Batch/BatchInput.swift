import Foundation
import Pledge

/// The accounts of a batch: a file, which is read twice, or a pipe, of which nobody can know what will come.
final class BatchInput: Sendable {
    /// What was left out of it.
    struct Skipped: Sendable, Equatable {
        var badLines = 0
        var duplicates = 0
    }

    let path: String?
    let isFile: Bool
    let descriptor: Int32
    private let wake: WakePipe
    private let shard: Shard?
    private let environment: [String: String]
    private let counts = Locked(Skipped())

    /// - Parameter path: nil for standard input.
    init(_ path: String?, shard: Shard?, environment: [String: String]) throws {
        self.path = path
        self.shard = shard
        self.environment = environment
        descriptor =
            try path.map { path in
                let descriptor = open(path, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else {
                    throw StopError(reading: path, errno)
                }
                return descriptor
            } ?? STDIN_FILENO
        // Standard input may be somewhere in the middle of a file, which is its beginning then.
        isFile = path != nil && FileIdentity(descriptor) != nil
        wake = try WakePipe()
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    var skipped: Skipped { counts.withLock { $0 } }

    /// Reads it through, if it can be read again, and says what is wrong with it: so that what is left is known before
    /// anything is sent.
    ///
    /// - Returns: its accounts, those of this shard; nil for a pipe.
    func survey(_ say: @escaping @Sendable (LogEvent) -> Void) throws -> Set<AccountKey>? {
        guard let path, isFile else {
            if path == nil, isatty(descriptor) == 1 {
                say(LogEvent(name: "reading", words: "Reading accounts from this terminal; Ctrl-D ends them."))
            }
            return nil
        }
        let file = SystemFile(descriptor, named: path, closes: false)
        let lines = LineReader(limit: AccountReader.longestLine, read: file.pieces)
        var sieve = AccountSieve(shard: shard, environment: environment)
        while let line = try lines.next() {
            if case .skipped(let skipped) = try sieve.take(line) { note(skipped, say) }
        }
        return sieve.met
    }

    /// - Parameter done: accounts that are not to be done.
    func reader(done: Set<AccountKey>, _ say: @escaping @Sendable (LogEvent) -> Void) -> AccountReader {
        AccountReader(
            LineReader(descriptor, limit: AccountReader.longestLine, wake: wake),
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
