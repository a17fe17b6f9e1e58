import Foundation
import Pledge

/// Gives the accounts that are still to do, one after another.
final class AccountReader: @unchecked Sendable {
    // Unchecked: everything but `isAtEnd` is touched only on `queue`.
    private let queue = DispatchQueue(label: "pledge.export.input")
    private let lines: LineReader
    private var sieve: AccountSieve
    private let done: Set<AccountKey>
    private let report: @Sendable (AccountSieve.Skipped) -> Void
    private let ended = Locked(false)

    /// Bytes of the longest line to read.
    static let longestLine = 1 << 20

    /// - Parameter done: the accounts of the run that is resumed.
    init(
        _ lines: LineReader, _ sieve: AccountSieve, done: Set<AccountKey> = [],
        report: @escaping @Sendable (AccountSieve.Skipped) -> Void
    ) {
        self.lines = lines
        self.sieve = sieve
        self.done = done
        self.report = report
    }

    var isAtEnd: Bool { ended.withLock { $0 } }

    /// Takes no more lines.
    func stop() {
        ended.withLock { $0 = true }
    }

    /// The next account; nil when there is none left. Reading may wait, so it has a queue of its own.
    func next() -> Promise<AccountLine?> {
        queue.async(.promise) { [self] () throws -> AccountLine? in
            while !isAtEnd, let line = try lines.next() {
                if let account = try sieve.take(line, report), !done.contains(account.id.key), !isAtEnd {
                    return account
                }
            }
            stop()
            return nil
        }
    }
}
