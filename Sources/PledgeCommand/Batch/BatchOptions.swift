import ExistKit
import Foundation
import PledgeBatch
import PledgeFiles

/// The options of every command that processes a batch of accounts.
struct BatchOptions {
    static let shard = Option<Shard>.value(
        "--shard", "I/N", "a part such as 0/8, counted from 0",
        "process only part I of N, counted from 0; every machine divides the accounts in the same way"
    ) { Shard($0) }
    // Options for the speed of the batch, and for how long it waits.
    static let inFlight = Option.number(
        "--in-flight", "N", 1...1000, "accounts processed at a time, not counting those that wait",
        defaultValue: "\(BatchRules().inFlight)")
    static let rate = Option.number(
        "--rate", "N", 1...1_000_000,
        "requests per hour for each token (default \(ExistAPI.limit) for Exist; MyDataHelps reports its limit)")
    static let totalRate = Option.number(
        "--total-rate", "N", 1...100_000_000,
        "requests per hour for the whole process, evenly spaced (default unlimited)")
    static let wait = Option.seconds(
        "--wait", 0...86_400, "how long an account may wait for rate limits in total",
        defaultValue: BatchRules().longestWait.plainText)
    static let outageWait = Option.seconds(
        "--outage-wait", 0...86_400, "how long to wait for a service that is down",
        defaultValue: BatchRules().outageWait.plainText)

    // Options for reports and for the exit code.
    static let quiet = Option.flag("--quiet", "print no progress and no summary")
    static let log = Option<Bool>.choice(
        "--log", ["text": false, "json": true], "print events on standard error as text or as lines of JSON",
        defaultValue: "text")
    static let metrics = Option.file(
        "--metrics",
        "write metrics for Prometheus's textfile collector every ten seconds. Use a separate file for each command and "
            + "shard, because the file also keeps the time of the last success")
    static let acceptErrors = Option.flag(
        "--accept-errors", "exit with code 0 instead of 2, for platforms that treat any other code as a failure")
    static let acceptUnreadable = Option.flag(
        "--accept-unreadable", "exit with code 0 instead of 4 if the only problem is items that could not be read")
    static let acceptEmpty = Option.flag(
        "--accept-empty", "accept input without any accounts, which is otherwise an error (exit code 64)")

    /// The options that apply only to a batch of many accounts. `pledge sync` rejects them for the user's own account.
    static let forMany: [any AnyOption] = [
        shard, inFlight, totalRate, outageWait, log, metrics, acceptErrors, acceptEmpty,
    ]

    let arguments: Arguments
    let settings: Settings
    let rules: BatchRules
    /// The time limit for each request, in seconds.
    let timeout: TimeInterval
    var context: RunContext { arguments.context }
    /// The path of the input; nil if the input is standard input.
    var input: String? { arguments.operands.first.flatMap { $0 == "-" ? nil : $0 } }
    var shard: Shard? { arguments[Self.shard] }
    var metrics: String? { arguments[Self.metrics] }
    /// The number of requests per hour that each token permits, by service. Without `--rate`, MyDataHelps has no entry,
    /// because its responses report how many requests remain.
    var limits: [AccountID.Service: Int] {
        guard let rate = arguments[Self.rate] else { return [.exist: ExistAPI.limit] }
        return [.exist: rate, .mydatahelps: rate]
    }
    var isLogJSON: Bool { arguments[Self.log] ?? false }

    /// The number of file descriptors for results, libraries, and Dispatch. In addition, each account that is being
    /// processed needs a file descriptor.
    private static let otherFiles = 32

    init(_ arguments: Arguments) throws {
        var rules = BatchRules()
        rules.inFlight = try arguments.value(Self.inFlight)
        rules.totalRate = arguments[Self.totalRate]
        rules.longestWait = try arguments.value(Self.wait)
        rules.outageWait = try arguments.value(Self.outageWait)
        // The number of file descriptors is checked in advance, because Dispatch ends the process if no descriptor is
        // left.
        let mostFiles = OpenFiles.raiseLimit()
        guard rules.inFlight + Self.otherFiles <= mostFiles else {
            throw UsageError(
                "\(rules.inFlight) accounts at a time need \(rules.inFlight + Self.otherFiles) open files, but this "
                    + "process may have only \(mostFiles): raise “ulimit -n”, or lower --in-flight.")
        }
        self.arguments = arguments
        self.rules = rules
        settings = try Settings(arguments.environment)
        timeout = try arguments.value(Access.timeout)
    }

    /// Throws a usage error if an output would overwrite the input or another output.
    ///
    /// - Parameters:
    ///   - results: The paths of the result files; empty if the results go to standard output.
    ///   - option: The option that specified the result files.
    func checkFiles(results: [String], named option: String) throws {
        var roles: [FileIdentity: String] = [:]
        if results.isEmpty, let output = FileIdentity(context.terminal.output) {
            roles[output] = "the file for results"
        }
        if let input = input.map({ FileIdentity(path: $0) }) ?? FileIdentity(context.terminal.input) {
            roles[input] = "the input"
        }
        let written =
            results.map { ($0, option, "the file for results") } + [
                (metrics, Self.metrics.name, "the file for metrics")
            ]
        for case (let path?, let option, let role) in written {
            guard let file = FileIdentity(path: path), let taken = roles.updateValue(role, forKey: file) else {
                continue
            }
            throw UsageError("\(path) is \(taken): choose another file for \(option).")
        }
    }
}
