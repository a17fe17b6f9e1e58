import ExistKit
import Foundation

/// How a batch of accounts is worked through, whatever is done for each.
struct BatchOptions: Equatable {
    /// Nil for standard input.
    var input: String?
    var quiet = false
    var isLogJSON = false
    var inFlight = 16
    var rate: Int?
    var totalRate: Int?
    var shard: Shard?
    var timeout: TimeInterval = 30
    var longestWait: TimeInterval = 3600
    var outageWait: TimeInterval = 900
    var transport = StandardTransport.Kind.usual
    var summary: String?
    var metrics: String?
    /// Whether accounts that failed are no reason for an exit code.
    var acceptsErrors = false

    init() {}

    init(_ arguments: Arguments) {
        typealias Table = ExportCommand
        input = arguments.operands.first.flatMap { $0 == "-" ? nil : $0 }
        quiet = arguments[Table.quiet]
        isLogJSON = arguments[Table.log] ?? isLogJSON
        inFlight = arguments[Table.inFlight] ?? inFlight
        rate = arguments[Table.rate]
        totalRate = arguments[Table.totalRate]
        shard = arguments[Table.shard]
        timeout = arguments[Access.timeout] ?? timeout
        longestWait = arguments[Table.wait] ?? longestWait
        outageWait = arguments[Table.outageWait] ?? outageWait
        transport = arguments[Access.transport] ?? transport
        summary = arguments[Table.summary]
        metrics = arguments[Table.metrics]
        acceptsErrors = arguments[Table.acceptErrors]
    }

    var rules: Schedule.Rules {
        var rules = Schedule.Rules()
        rules.inFlight = inFlight
        rules.totalRate = totalRate
        rules.longestWait = longestWait
        rules.outageWait = outageWait
        return rules
    }
}
