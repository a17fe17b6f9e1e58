import Foundation
import PledgeCoding
import PledgeFiles

/// Selects the lines of the input: each account of this shard, once.
struct AccountFilter {
    /// Receives the event, the number, and the reason of a line that is skipped.
    typealias Report = (_ event: String, _ line: Int, _ reason: String) -> Void

    let shard: Shard?
    /// The accounts to select; nil for all.
    var only: Set<HashKey>?
    var servers: BatchServers
    private let environment: [String: String]
    private(set) var seen: Set<HashKey> = []
    /// Whether any line was an account.
    private(set) var isOfAccounts = false
    /// The number of lines that are no accounts.
    private var badCount = 0

    /// Reading stops after this many of them at the beginning.
    private static let patience = 100
    static let longestLine = 1 << 20

    init(_ options: BatchOptions) throws {
        (shard, environment) = (options.shard, options.context.environment)
        servers = try BatchServers(environment)
    }

    /// Returns the line's account if it is selected.
    ///
    /// - Throws: If the input is not a list of accounts, or if an account's server differs from that of earlier ones.
    mutating func take(_ line: LineReader.Line, _ report: Report) throws(UsageError) -> AccountLine? {
        guard !line.bytes.allSatisfy({ " \t\r".utf8.contains($0) }) else { return nil }
        let account: AccountLine
        do throws(BadLine) {
            guard line.range.count <= Self.longestLine else {
                throw BadLine("it is longer than \(Self.longestLine) bytes")
            }
            account = try AccountLine(line.bytes, environment: environment)
        } catch {
            badCount += 1
            if !isOfAccounts {
                if badCount == 1, let form = Self.otherForm(line.bytes) { throw UsageError("The input is \(form).") }
                guard badCount < Self.patience else {
                    throw UsageError("None of the first \(Self.patience) lines of the input names an account.")
                }
            }
            report("bad-line", line.number, "\(error.problem).")
            return nil
        }
        isOfAccounts = true
        try servers.take(account.id.service, own: account.address, from: "line \(line.number)")
        guard shard?.contains(account.id) ?? true, only?.contains(account.id.key) ?? true else { return nil }
        if seen.insert(account.id.key).inserted { return account }
        report("duplicate", line.number, "\(account.id.words) is a duplicate.")
        return nil
    }

    /// Returns the form of an input that is not JSON lines, by its first line, with what to do; nil if it is unknown.
    private static func otherForm(_ line: [UInt8]) -> String? {
        if line.contains(0) { return "text in UTF-16: convert it to UTF-8" }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("[") { return "a JSON array: write a line for each item, as “jq -c '.[]'” does" }
        let isHeader = !text.hasPrefix("{") && text.contains("account") && text.contains { ",;\t".contains($0) }
        return isHeader ? "a table: write a line of JSON for each account, as “pledge help export” shows" : nil
    }
}
