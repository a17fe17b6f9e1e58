import ExistKit
import Foundation

/// What `pledge report` was asked for.
struct ReportOptions: Equatable {
    var json = false
    var html: String?
    var write = false
    var isMyDataHelps = false
    var mood: Int?
    var tokenKind = ExistAPI.TokenKind.bearer
    var timeout: TimeInterval = 30
    var transport = StandardTransport.Kind.usual

    init(_ arguments: [String]) throws {
        var flags = Flags(arguments, of: "pledge report")
        while let flag = try flags.next() {
            switch flag {
            case .name("--html"): html = try flags.text("a file")
            case .name("--mood"): mood = try flags.number(1...9)
            case .name("--timeout"): timeout = try flags.seconds(0.001...86_400)
            case .name("--token-kind"): tokenKind = try flags.choice(["bearer": .bearer, "simple": .simple])
            case .name("--transport"): transport = try flags.transport()
            case .name("--json"): json = try flags.isOn()
            case .name("--write"): write = try flags.isOn()
            case .name("--mydatahelps"): isMyDataHelps = try flags.isOn()
            case .name: throw flags.unknown
            case .value(let word): throw UsageError("“pledge report” has no option “\(word)”.")
            }
        }
        if isMyDataHelps, write || mood != nil { throw UsageError("--write and --mood are for Exist.") }
        if json, html == "-" { throw UsageError("--json and --html - would both go to standard output.") }
    }
}
