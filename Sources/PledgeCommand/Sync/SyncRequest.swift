import ExistKit
import Foundation

/// What `pledge sync` was asked for.
struct SyncRequest: Equatable {
    var database: String
    var overlap = 14
    /// Requests an hour for each token of Exist.
    var rate = 300
    var timeout: TimeInterval = 30
    var longestWait: TimeInterval = 3600
    var transport = StandardTransport.Kind.usual
    var tokenKind = ExistAPI.TokenKind.bearer
    var quiet = false

    init(_ arguments: [String]) throws {
        var flags = Flags(arguments, of: "pledge sync")
        var files: [String] = []
        while let flag = try flags.next() {
            switch flag {
            case .value(let file): files.append(file)
            case .name("--overlap"): overlap = try flags.number(0...3660)
            case .name("--rate"): rate = try flags.number(1...1_000_000)
            case .name("--timeout"): timeout = try flags.seconds(0.001...86_400)
            case .name("--wait"): longestWait = try flags.seconds(0...86_400)
            case .name("--transport"): transport = try flags.transport()
            case .name("--token-kind"): tokenKind = try flags.choice(["bearer": .bearer, "simple": .simple])
            case .name("--quiet"): quiet = try flags.isOn()
            case .name: throw flags.unknown
            }
        }
        guard let file = files.first, files.count == 1 else {
            throw UsageError("“pledge sync” needs one file to keep the data in, such as tracking.db.")
        }
        database = file
    }
}
