import Foundation
import PledgeCoding
import PledgeFiles
import PledgeHTTP

/// Selects lines of the input: each account of this shard, but not its duplicates.
struct AccountFilter {
    /// Reports a line that is skipped: the event's name, the line's number, and the reason.
    typealias Report = (_ event: String, _ line: Int, _ reason: String) -> Void

    let shard: Shard?
    /// The accounts to select; nil for all.
    var only: Set<HashKey>?
    var servers: BatchServers
    private let environment: [String: String]
    private(set) var seen: Set<HashKey> = []
    /// Whether any line so far was an account.
    private(set) var isOfAccounts = false
    /// The number of lines that were not accounts.
    private var badCount = 0

    /// If this many lines at the beginning aren't accounts, reading stops.
    private static let patience = 100
    static let longestLine = 1 << 20

    init(_ options: BatchOptions) throws {
        shard = options.shard
        environment = options.context.environment
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
        report("duplicate", line.number, "\(account.id.title) is a duplicate.")
        return nil
    }

    /// Recognizes an input that is not JSON lines by its first line. Returns its form, and what to do; nil if the form
    /// is unknown.
    private static func otherForm(_ line: [UInt8]) -> String? {
        if line.contains(0) { return "text in UTF-16: convert it to UTF-8" }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("[") { return "a JSON array: write a line for each item, as “jq -c '.[]'” does" }
        let isHeader = !text.hasPrefix("{") && text.contains("account") && text.contains { ",;\t".contains($0) }
        return isHeader ? "a table: write a line of JSON for each account, as “pledge help export” shows" : nil
    }
}

/// A part of the accounts, which is the same on every machine: `2/8` is the third part of eight.
struct Shard: Sendable {
    var index: Int
    var count: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1], index >= 0, index < count else {
            return nil
        }
        self.index = index
        self.count = count
    }

    func contains(_ id: AccountID) -> Bool {
        id.shardHash % UInt64(count) == UInt64(index)
    }
}

/// The server of each service in a batch. A token is sent only to its own server. A batch uses one server per service,
/// so that its results never mix the data of two servers, such as the sandbox's and a person's.
struct BatchServers: Sendable {
    typealias Service = AccountID.Service

    /// The base URLs from the environment.
    private let given: [Service: URL]
    /// The base URLs so far, and where each was specified, such as `EXIST_BASE_URL` or `line 1`.
    private var known: [Service: (address: URL, source: String)] = [:]

    init(_ environment: [String: String]) throws(UsageError) {
        var given: [Service: URL] = [:]
        for service in Service.allCases { given[service] = try service.givenAddress(environment) }
        self.given = given
        for (service, address) in given { known[service] = (address, service.addressName) }
    }

    /// Returns the base URL for an account. `own` is the base URL in the account's line.
    func address(of service: Service, own: URL?) -> URL { own ?? given[service] ?? service.defaultAddress }

    /// Records the server of an account, or throws if earlier accounts of the service use another.
    ///
    /// - Parameters:
    ///   - own: The base URL in the account's line, if any.
    ///   - source: The name of the line or file that has the account, for the error.
    mutating func take(_ service: Service, own: URL?, from source: @autoclosure () -> String) throws(UsageError) {
        let address = address(of: service, own: own)
        guard let before = known[service] else {
            known[service] = (address, source())
            return
        }
        guard before.address != address else { return }
        let isGiven = before.source == service.addressName
        throw UsageError(
            "For \(service.title), \(before.source) has the server \(before.address.redacted), but \(source()) has "
                + "\(address.redacted)\(own == nil ? ", because it names none" : ""). A token is sent only to its own "
                + "server, and a run uses one for each service: "
                + (isGiven ? "unset \(service.addressName), or omit these accounts." : "use a separate file for each."))
    }
}
