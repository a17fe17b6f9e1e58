import ExistKit
import Foundation
import PledgeBatch
import PledgeHTTP
import PledgeSandbox

/// The options of a batch of accounts, regardless of its work.
struct BatchOptions {
    let environment: [String: String]
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
    var transport = StandardTransport.Kind.usual
    /// Whether each request and response is reported.
    var isVerbose = false
    var summary: String?
    var metrics: String?
    /// Whether failed accounts do not affect the exit code.
    var acceptsErrors = false
    /// Whether the input may be without accounts.
    var acceptsEmpty = false

    /// The number of open files besides one for each account at work: the results, the libraries', Dispatch's.
    private static let otherFiles = 32

    init(_ arguments: Arguments) throws {
        typealias Table = ExportCommand
        environment = arguments.environment
        input = arguments.operands.first.flatMap { $0 == "-" ? nil : $0 }
        quiet = arguments[Table.quiet]
        isLogJSON = arguments[Table.log] ?? isLogJSON
        rules.inFlight = arguments[Table.inFlight] ?? rules.inFlight
        // If no file descriptor is left, Dispatch ends the process.
        guard rules.inFlight + Self.otherFiles <= SystemSocket.mostOpen else {
            throw UsageError(
                "\(rules.inFlight) accounts at a time need \(rules.inFlight + Self.otherFiles) open files, and this "
                    + "process may have \(SystemSocket.mostOpen): raise “ulimit -n”, or lower --in-flight.")
        }
        rules.totalRate = arguments[Table.totalRate]
        rules.longestWait = arguments[Table.wait] ?? rules.longestWait
        rules.outageWait = arguments[Table.outageWait] ?? rules.outageWait
        rate = arguments[Table.rate]
        shard = arguments[Table.shard]
        budget = BudgetOptions.account.budget(arguments)
        timeout = arguments[Access.timeout] ?? timeout
        transport = arguments[Access.transport] ?? transport
        isVerbose = arguments[Access.verbose]
        summary = arguments[Table.summary]
        metrics = arguments[Table.metrics]
        acceptsErrors = arguments[Table.acceptErrors]
        acceptsEmpty = arguments[Table.acceptEmpty]
    }
}
