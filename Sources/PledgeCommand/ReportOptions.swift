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

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let flag = rest.popFirst() {
            // `--flag=value` is `--flag value`.
            let parts = flag.split(separator: "=", maxSplits: 1).map(String.init)
            let name = parts.first ?? flag
            func value(_ meaning: String) throws -> String {
                if parts.count == 2 { return parts[1] }
                guard let next = rest.popFirst(), next == "-" || !next.hasPrefix("--") else {
                    throw UsageError("\(name) needs \(meaning).")
                }
                return next
            }
            switch name {
            case "--html": html = try value("a file")
            case "--mood":
                let text = try value("a number from 1 to 9")
                guard let number = Int(text), 1...9 ~= number else {
                    throw UsageError("--mood takes a number from 1 to 9, not “\(text)”.")
                }
                mood = number
            case "--timeout":
                let text = try value("a number of seconds")
                guard let seconds = TimeInterval(text), 0.001...86_400 ~= seconds else {
                    throw UsageError("--timeout takes a number of seconds, not “\(text)”.")
                }
                timeout = seconds
            case "--token-kind":
                let text = try value("“bearer” or “simple”")
                switch text {
                case "bearer": tokenKind = .bearer
                case "simple": tokenKind = .simple
                default: throw UsageError("--token-kind takes “bearer” or “simple”, not “\(text)”.")
                }
            case "--json" where parts.count == 1: json = true
            case "--write" where parts.count == 1: write = true
            case "--mydatahelps" where parts.count == 1: isMyDataHelps = true
            case "--json", "--write", "--mydatahelps": throw UsageError("\(name) takes no value.")
            default: throw UsageError("“pledge report” has no option “\(name)”.")
            }
        }
        if isMyDataHelps, write || mood != nil { throw UsageError("--write and --mood are for Exist.") }
        if json, html == "-" { throw UsageError("--json and --html - would both go to standard output.") }
    }
}
