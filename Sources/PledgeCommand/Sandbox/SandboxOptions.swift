import Foundation

/// What `pledge sandbox` was asked for.
struct SandboxOptions {
    var port: UInt16 = 0
    var accounts = 1
    /// Seconds before each reply.
    var latency: TimeInterval = 0
    var faults: FaultMix?
    var seed: UInt64 = 1
    /// Requests an hour for each token; nil for the services' own way.
    var limit: Int?
    var accountsFile: String?

    init(_ arguments: [String]) throws {
        var flags = Flags(arguments, of: "pledge sandbox")
        while let flag = try flags.next() {
            switch flag {
            case .name("--port"): port = UInt16(try flags.number(0...65_535))
            case .name("--accounts"): accounts = try flags.number(1...1_000_000)
            case .name("--latency"): latency = Double(try flags.number(0...600_000)) / 1000
            case .name("--faults"): faults = try FaultMix(flags.text("shares such as 503=0.02"))
            case .name("--seed"): seed = UInt64(try flags.number(0...Int.max))
            case .name("--limit"): limit = try flags.number(1...1_000_000_000)
            case .name("--accounts-file"): accountsFile = try flags.text("a file")
            case .name: throw flags.unknown
            case .value(let word): throw UsageError("“pledge sandbox” does not know what to do with “\(word)”.")
            }
        }
    }
}
