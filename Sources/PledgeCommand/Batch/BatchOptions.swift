import ExistKit
import Foundation
import PledgeBatch
import PledgeFiles
import PledgeHTTP

/// The options of a batch of accounts, regardless of its work.
struct BatchOptions {
    let context: RunContext
    /// The path of the input; nil for standard input.
    var input: String?
    var quiet = false
    var isLogJSON = false
    var rules = BatchRules()
    var rate: Int?
    var shard: Shard?
    var timeout: TimeInterval = 30
    /// The budget of each account.
    var budget: EndpointClient.Budget
    var transport = StandardTransport.Kind.default
    /// Whether each request and response is reported.
    var isVerbose = false
    var summary: String?
    var metrics: String?
    /// Whether failed accounts do not affect the exit code.
    var acceptsErrors = false
    /// Whether items that could not be read do not affect the exit code.
    var acceptsUnreadable = false
    /// Whether the input may be without accounts.
    var acceptsEmpty = false

    /// The number of open files besides one for each account at work: the results, the libraries', Dispatch's.
    private static let otherFiles = 32

    init(_ arguments: Arguments) throws {
        context = arguments.context
        input = arguments.operands.first.flatMap { $0 == "-" ? nil : $0 }
        quiet = arguments[Self.quiet]
        isLogJSON = arguments[Self.log] ?? isLogJSON
        rules.inFlight = arguments[Self.inFlight] ?? rules.inFlight
        // If no file descriptor is left, Dispatch ends the process.
        guard rules.inFlight + Self.otherFiles <= OpenFiles.most else {
            throw UsageError(
                "\(rules.inFlight) accounts at a time need \(rules.inFlight + Self.otherFiles) open files, and this "
                    + "process may have \(OpenFiles.most): raise “ulimit -n”, or lower --in-flight.")
        }
        rules.totalRate = arguments[Self.totalRate]
        rules.longestWait = arguments[Self.wait] ?? rules.longestWait
        rules.outageWait = arguments[Self.outageWait] ?? rules.outageWait
        rate = arguments[Self.rate]
        shard = arguments[Self.shard]
        let settings = try Settings(context.environment)
        (budget, transport) = (settings.accountBudget, settings.transport)
        timeout = arguments[Access.timeout] ?? timeout
        isVerbose = arguments[Access.verbose]
        summary = arguments[Self.summary]
        metrics = arguments[Self.metrics]
        acceptsErrors = arguments[Self.acceptErrors]
        acceptsUnreadable = arguments[Self.acceptUnreadable]
        acceptsEmpty = arguments[Self.acceptEmpty]
    }
}
