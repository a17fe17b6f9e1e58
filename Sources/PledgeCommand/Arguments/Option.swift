import ExistKit
import Foundation
import PledgeCoding

/// One option of a command: its name, what it takes, what it is for. What parses, explains and completes it is made from
/// this one value.
struct Option<Value: Sendable>: AnyOption {
    let name: String
    let form: OptionForm
    let help: String
    let usual: String?
    let read: @Sendable (String) throws -> Value

    func parse(_ text: String) throws -> any Sendable { try read(text) }
}

/// An option, whatever the type of its value.
protocol AnyOption: Sendable {
    /// `--days`
    var name: String { get }
    var form: OptionForm { get }
    /// A sentence without its full stop.
    var help: String { get }
    /// What holds without it, in words.
    var usual: String? { get }
    func parse(_ text: String) throws -> any Sendable
}

/// What stands after an option's name.
enum OptionForm: Sendable {
    /// Nothing: it is there or not.
    case flag
    /// A path, which shells complete.
    case file
    /// One of these words.
    case choice([String])
    /// Something else: a word for help, such as `N`, and what it is in a message, such as `a day such as 2026-11-20`.
    case text(String, String)

    /// `FILE`; nil for a flag.
    var placeholder: String? {
        switch self {
        case .flag: nil
        case .file: "FILE"
        case .choice(let words): words.count > 4 ? "NAME" : words.joined(separator: "|")
        case .text(let word, _): word
        }
    }

    /// What the option takes, in a message.
    var meaning: String {
        switch self {
        case .flag: "nothing"
        case .file: "a file"
        case .choice(let words): words.map { "“\($0)”" }.joined(separator: " or ")
        case .text(_, let meaning): meaning
        }
    }
}

extension Option where Value == Bool {
    static func flag(_ name: String, _ help: String) -> Option {
        Option(name: name, form: .flag, help: help, usual: nil) { _ in true }
    }
}

extension Option where Value == String {
    static func file(_ name: String, _ help: String) -> Option {
        Option(name: name, form: .file, help: help, usual: nil) { path in
            // What a variable was to hold that is not set.
            guard !path.isEmpty else { throw UsageError("\(name) needs a file, and was given an empty name.") }
            return path
        }
    }

    static func text(_ name: String, _ word: String, _ meaning: String, _ help: String) -> Option {
        Option(name: name, form: .text(word, meaning), help: help, usual: nil) { $0 }
    }
}

extension Option {
    /// Whatever `read` makes of the text; nil is a mistake.
    static func value(
        _ name: String, _ word: String, _ meaning: String, _ help: String, usual: String? = nil,
        read: @escaping @Sendable (String) throws -> Value?
    ) -> Option {
        Option(name: name, form: .text(word, meaning), help: help, usual: usual) { text in
            guard let value = try read(text) else { throw UsageError("\(name) takes \(meaning), not “\(text)”.") }
            return value
        }
    }

    static func choice(
        _ name: String, _ choices: KeyValuePairs<String, Value>, _ help: String, usual: String? = nil
    )
        -> Option
    {
        let words = choices.map(\.key)
        let values = choices.map(\.value)
        let form = OptionForm.choice(words)
        return Option(name: name, form: form, help: help, usual: usual) { text in
            guard let place = words.firstIndex(where: { ExactText($0) == ExactText(text) }) else {
                throw UsageError("\(name) takes \(form.meaning), not “\(text)”.\(Nearest.hint(to: text, among: words))")
            }
            return values[place]
        }
    }
}

extension Option where Value == Int {
    static func number(
        _ name: String, _ word: String, _ range: ClosedRange<Int>, _ help: String, usual: String? = nil
    ) -> Option {
        value(name, word, "a number from \(range.lowerBound) to \(range.upperBound)", help, usual: usual) { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Option where Value == TimeInterval {
    static func seconds(
        _ name: String, _ range: ClosedRange<TimeInterval>, _ help: String, usual: String? = nil
    )
        -> Option
    {
        let ends = [range.lowerBound, range.upperBound].map(Listing.Cell.plain)
        return value(name, "SECONDS", "a number of seconds from \(ends[0]) to \(ends[1])", help, usual: usual) { text in
            TimeInterval(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Option where Value == ExistDay {
    static func day(_ name: String, _ help: String, usual: String? = nil) -> Option {
        value(name, "DAY", "a day such as 2026-11-20", help, usual: usual) { ExistDay($0) }
    }
}
