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

    /// - Returns: whether the option is one of these.
    mutating func take(_ name: String, _ flags: inout Flags) throws -> Bool {
        switch name {
        case "--in-flight": inFlight = try flags.number(1...1000)
        case "--rate": rate = try flags.number(1...1_000_000)
        case "--total-rate": totalRate = try flags.number(1...100_000_000)
        case "--shard":
            let text = try flags.text("a part such as 0/8")
            guard let shard = Shard(text) else {
                throw UsageError("--shard takes a part such as 0/8, counted from 0, not “\(text)”.")
            }
            self.shard = shard
        case "--timeout": timeout = try flags.seconds(0.001...86_400)
        case "--wait": longestWait = try flags.seconds(0...86_400)
        case "--outage-wait": outageWait = try flags.seconds(0...86_400)
        case "--transport": transport = try flags.transport()
        case "--summary": summary = try flags.text("a file")
        case "--metrics": metrics = try flags.text("a file")
        case "--log": isLogJSON = try flags.choice(["text": false, "json": true])
        case "--accept-errors": acceptsErrors = try flags.isOn()
        case "--quiet": quiet = try flags.isOn()
        default: return false
        }
        return true
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
