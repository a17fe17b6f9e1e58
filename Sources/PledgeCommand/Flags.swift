import ExistKit
import Foundation

/// Arguments read one after another: `--flag value` and `--flag=value` are the same.
struct Flags {
    enum Flag {
        case name(String)
        case value(String)
    }

    private let command: String
    private var rest: ArraySlice<String>
    private var name = ""
    private var attached: String?

    init(_ arguments: [String], of command: String) {
        rest = arguments[...]
        self.command = command
    }

    /// The next flag, or what is none; what follows a flag is asked for with the functions below.
    mutating func next() throws -> Flag? {
        guard let word = rest.popFirst() else { return nil }
        guard word.hasPrefix("-"), word != "-" else { return .value(word) }
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        name = parts[0]
        attached = parts.count == 2 ? parts[1] : nil
        return .name(name)
    }

    var unknown: UsageError { UsageError("“\(command)” has no option “\(name)”.") }

    func isOn() throws -> Bool {
        if attached != nil { throw UsageError("\(name) takes no value.") }
        return true
    }

    mutating func text(_ meaning: String) throws -> String {
        if let attached { return attached }
        guard let next = rest.popFirst(), !next.hasPrefix("--") else { throw UsageError("\(name) needs \(meaning).") }
        return next
    }

    mutating func number(_ range: ClosedRange<Int>) throws -> Int {
        let text = try text("a number from \(range.lowerBound) to \(range.upperBound)")
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not “\(text)”.")
        }
        return number
    }

    mutating func seconds(_ range: ClosedRange<TimeInterval>) throws -> TimeInterval {
        let text = try text("a number of seconds")
        guard let seconds = TimeInterval(text), range.contains(seconds) else {
            throw UsageError("\(name) takes a number of seconds, not “\(text)”.")
        }
        return seconds
    }

    mutating func choice<Value>(_ choices: KeyValuePairs<String, Value>) throws -> Value {
        let names = choices.map { "“\($0.key)”" }.joined(separator: " or ")
        let text = try text(names)
        guard let choice = choices.first(where: { $0.key == text }) else {
            throw UsageError("\(name) takes \(names), not “\(text)”.")
        }
        return choice.value
    }

    mutating func transport() throws -> StandardTransport.Kind {
        try choice(["curl": .curl, "urlsession": .urlSession])
    }

    mutating func day() throws -> ExistDay {
        let text = try text("a day such as 2026-11-20")
        guard let day = ExistDay(text) else {
            throw UsageError("\(name) takes a day such as 2026-11-20, not “\(text)”.")
        }
        return day
    }
}
