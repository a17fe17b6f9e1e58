import Foundation
import Pledge
import PledgeBatch
import PledgeFiles

/// Returns the accounts that are still to do, one after another.
final class AccountReader: @unchecked Sendable {
    // Unchecked: everything is only accessed on `queue`.
    private let queue = DispatchQueue(label: "pledge.export.input")
    private let lines: LineReader
    private var sieve: AccountSieve
    private let done: Set<HashKey>
    private let report: @Sendable (AccountSieve.Skipped) -> Void

    /// The maximum length of a line, in bytes.
    static let longestLine = 1 << 20

    /// - Parameter done: The finished accounts of the run that is resumed.
    init(
        _ lines: LineReader, _ sieve: AccountSieve, done: Set<HashKey> = [],
        report: @escaping @Sendable (AccountSieve.Skipped) -> Void
    ) {
        self.lines = lines
        self.sieve = sieve
        self.done = done
        self.report = report
    }

    /// Returns the next account; nil if none are left. Reading may block, so it has its own queue.
    func next() -> Promise<AccountLine?> {
        queue.async(.promise) { [self] () throws -> AccountLine? in
            while let line = try lines.next() {
                if let account = try sieve.take(line, report), !done.contains(account.id.key) { return account }
            }
            return nil
        }
    }
}
