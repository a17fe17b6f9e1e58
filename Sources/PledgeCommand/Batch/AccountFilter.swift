import Foundation
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// Selects the accounts of this shard from the lines of the input, and skips duplicates.
struct AccountFilter {
    /// The reason why a line is skipped. The raw value is the name of the event that reports it.
    enum Problem: String {
        case badLine = "bad-line"
        case duplicate
    }

    /// A closure that reports a skipped line. It receives the line's number, and a sentence about the problem.
    typealias Report = (_ problem: Problem, _ line: Int, _ reason: String) -> Void

    let shard: Shard?
    /// The accounts to select; nil for all.
    var only: Set<HashKey>?
    var servers: BatchServers
    private let environment: [String: String]
    private(set) var seen: Set<HashKey> = []
    /// Whether at least one of the lines so far describes an account.
    private(set) var isOfAccounts = false
    /// The number of lines so far that don't describe an account.
    private var badCount = 0

    /// The input is rejected if this many lines at its beginning don't describe an account.
    private static let patience = 100
    static let longestLine = 1 << 20

    init(_ options: BatchOptions) throws {
        shard = options.shard
        environment = options.context.environment
        servers = try BatchServers(environment)
    }

    /// Returns the account that a line describes, or nil if the line is skipped or its account is not selected.
    ///
    /// - Throws: If the input is not a list of accounts, or if the account's server differs from the server that
    ///   earlier accounts of this service use.
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
            report(.badLine, line.number, "\(error.problem).")
            return nil
        }
        isOfAccounts = true
        try servers.take(account.id.service, own: account.address, from: "line \(line.number)")
        guard shard?.contains(account.id) ?? true, only?.contains(account.id.key) ?? true else { return nil }
        if seen.insert(account.id.key).inserted { return account }
        report(.duplicate, line.number, "\(account.id.title) is a duplicate.")
        return nil
    }

    /// Recognizes common formats other than JSON lines by the first line of the input. Returns the name of the format,
    /// and how to convert the input. Returns nil if the format is unknown.
    private static func otherForm(_ line: [UInt8]) -> String? {
        if line.contains(0) { return "text in UTF-16: convert it to UTF-8" }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("[") { return "a JSON array: write a line for each item, as “jq -c '.[]'” does" }
        let isHeader = !text.hasPrefix("{") && text.contains("account") && text.contains { ",;\t".contains($0) }
        return isHeader ? "a table: write a line of JSON for each account, as “pledge help export” shows" : nil
    }
}
