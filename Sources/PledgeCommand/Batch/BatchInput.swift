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
    private let descriptor: Int32
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
                    throw Failure("\(path) cannot be read: \(String(cString: strerror(errno))).")
                }
                return descriptor
            } ?? STDIN_FILENO
        // Standard input may be somewhere in the middle of a file, which is its beginning then.
        isFile = path != nil && SystemFile(descriptor, closes: false).isRegular
        wake = try WakePipe()
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    var skipped: Skipped { counts.withLock { $0 } }

    /// Whether a path leads to it.
    func isSame(_ path: String) -> Bool {
        var (one, other) = (stat(), stat())
        return stat(path, &one) == 0 && fstat(descriptor, &other) == 0 && one.st_mode & S_IFMT == S_IFREG
            && one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// Whether it is a file of SQLite's instead of lines.
    var isDatabase: Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes.elementsEqual("SQLite format 3\0".utf8)
    }

    /// Reads it through, if it can be read again, and says what is wrong with it.
    ///
    /// - Returns: its accounts; nil for a pipe.
    func survey(_ say: @escaping @Sendable (LogEvent) -> Void) throws -> Set<AccountKey>? {
        guard isFile else { return nil }
        let file = SystemFile(descriptor, closes: false)
        let lines = LineReader(limit: AccountReader.longestLine, read: file.pieces)
        do {
            return try InputSurvey(lines, AccountSieve(shard: shard, environment: environment)) { note($0, say) }
                .accounts
        } catch let error as SystemError {
            throw Failure("\(path ?? "The input") cannot be read: \(String(cString: strerror(error.code))).")
        }
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
            say(LogEvent(name: "bad-line", words: "\(line)", facts: ["line": .number(Double(line.number))]))
        case .duplicate(let number, let id):
            counts.withLock { $0.duplicates += 1 }
            say(
                LogEvent(
                    name: "duplicate",
                    words: "Line \(number) was left out: \(id.service.rawValue) account “\(id.account.onOneLine)” came "
                        + "before.",
                    facts: ["line": .number(Double(number))]))
        }
    }
}
