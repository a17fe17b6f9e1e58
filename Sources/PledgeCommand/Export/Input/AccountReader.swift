import Foundation
import Pledge

/// Gives the accounts that are still to do, one after another: those of this shard, each once, none that is done.
final class AccountReader: @unchecked Sendable {
    // Unchecked: everything but `state` is touched only on `queue`.
    private struct State {
        var isAtEnd = false
        var lines = 0
        var bytes = 0
        var taken = 0
    }

    private let queue = DispatchQueue(label: "pledge.export.input")
    private let lines: LineReader
    private let shard: Shard?
    private let environment: [String: String]
    private let done: Set<AccountKey>
    private var met: Set<AccountKey> = []
    private let report: @Sendable (Skipped) -> Void
    private let state = Locked(State())

    enum Skipped {
        case bad(BadLine)
        /// Stands in the input a second time.
        case duplicate(line: Int, AccountID)
    }

    /// Bytes of the longest line to read.
    static let longestLine = 1 << 20

    /// - Parameter done: the accounts of the run that is resumed.
    init(
        _ lines: LineReader, done: Set<AccountKey> = [], shard: Shard?, environment: [String: String],
        report: @escaping @Sendable (Skipped) -> Void
    ) {
        self.lines = lines
        self.done = done
        self.shard = shard
        self.environment = environment
        self.report = report
    }

    var isAtEnd: Bool { state.withLock(\.isAtEnd) }

    /// How far the input was read: for an estimate of what is left.
    var position: (lines: Int, bytes: Int, taken: Int) { state.withLock { ($0.lines, $0.bytes, $0.taken) } }

    /// Takes no more lines.
    func stop() {
        state.withLock { $0.isAtEnd = true }
    }

    /// The next account; nil when there is none left. Reading may wait, so it has a queue of its own.
    func next() -> Promise<AccountLine?> {
        queue.async(.promise) { [self] () throws -> AccountLine? in
            while !isAtEnd {
                guard let line = try lines.next() else { break }
                let number = state.withLock { state -> Int in
                    state.lines += 1
                    state.bytes += line.length
                    return state.lines
                }
                if let account = take(line, number), !isAtEnd {
                    state.withLock { $0.taken += 1 }
                    return account
                }
            }
            stop()
            return nil
        }
    }

    private func take(_ line: LineReader.Line, _ number: Int) -> AccountLine? {
        guard !line.bytes.allSatisfy({ " \t\r".utf8.contains($0) }) else { return nil }
        do {
            guard line.length <= Self.longestLine else {
                throw BadLine(number: number, problem: "it is longer than \(Self.longestLine) bytes")
            }
            let account = try AccountLine(line.bytes, number: number, environment: environment)
            guard shard?.contains(account.id) ?? true else { return nil }
            let key = account.id.key
            guard met.insert(key).inserted else {
                report(.duplicate(line: number, account.id))
                return nil
            }
            return done.contains(key) ? nil : account
        } catch let error as BadLine {
            report(.bad(error))
        } catch {
            report(.bad(BadLine(number: number, problem: "\(error)")))
        }
        return nil
    }
}
