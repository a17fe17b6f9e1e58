import ExistKit
import Foundation
import PledgeCoding

/// A command of the tool: its name, purpose, options, and action. The parser, the help, and the shell completions are
/// all generated from this description.
struct Command: Sendable {
    struct Operands: Sendable {
        /// The placeholder of the operands in the help, such as `[NAME…]`.
        var form: String
        var count: ClosedRange<Int>
        var completes: Completed = .nothing

        enum Completed: Sendable {
            case nothing, files, commands
            case words([String])
        }

        static let none = Operands(form: "", count: 0...0)
    }

    /// A section of help with a heading.
    struct Note: Sendable {
        var title: String
        /// The text of the section. In a line with two spaces, a name precedes the spaces, and its meaning follows
        /// them. All other lines are joined into paragraphs and wrapped to the terminal's width, except for lines of
        /// JSON.
        var text: String

        var entries: [(head: String?, text: String)] {
            text.components(separatedBy: "\n").reduce(into: []) { entries, line in
                let parts = line.components(separatedBy: "  ")
                let continues = entries.last.map { $0.head == nil && !$0.text.hasPrefix("{") } ?? false
                if parts.count == 1, continues, !line.hasPrefix("{") {
                    entries[entries.count - 1].text += " " + line
                } else {
                    entries.append((parts.count == 1 ? nil : parts[0], parts.last ?? ""))
                }
            }
        }
    }

    var name: String
    /// What the command does, in one line. The line begins in lowercase, and has no period.
    var summary: String
    var part: Part
    var operands = Operands.none
    var options: [any AnyOption] = []
    /// Command lines, each with an explanation.
    var examples: KeyValuePairs<String, String> = [:]
    var notes: [Note] = []
    /// Runs the command, and returns the exit code of the process.
    var run: @Sendable (Arguments) throws -> ExitCode

    enum Part: String, CaseIterable, Sendable {
        case reading = "READ"
        case writing = "WRITE"
        case accounts = "ACCOUNTS"
        case machines = "AUTOMATION"
        case shell = "OTHER"
    }

    /// The usage line, such as `pledge report [options]`.
    var usage: String {
        ["pledge", name, operands.form, options.isEmpty ? "" : "[options]"].filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}

extension ClosedRange<Int> {
    static let any = 0...Int.max
    static let atLeastOne = 1...Int.max
}

/// An option of a command. The parser, the help, and the shell completions use this description.
struct Option<Value: Sendable>: AnyOption {
    let name: String
    let form: OptionForm
    let help: String
    /// The value that the option has if it isn't given, as the user would type it. The help shows it.
    let defaultValue: String?
    let read: @Sendable (String) throws -> Value

    func parse(_ text: String) throws -> any Sendable { try read(text) }
}

protocol AnyOption: Sendable {
    /// The name with its dashes, such as `--days`.
    var name: String { get }
    var form: OptionForm { get }
    var help: String { get }
    var defaultValue: String? { get }
    func parse(_ text: String) throws -> any Sendable
}

/// The kind of value that follows an option's name.
enum OptionForm: Sendable {
    /// The option has no value. It is either present or absent.
    case flag
    case file
    case choice([String])
    /// Any other value. The first text is the placeholder in the help, such as `N`. The second text completes the
    /// message “--days takes …”, such as `a number from 1 to 31`.
    case text(String, String)

    var placeholder: String? {
        switch self {
        case .flag: nil
        case .file: "FILE"
        case .choice(let words): words.count > 4 ? "NAME" : words.joined(separator: "|")
        case .text(let word, _): word
        }
    }

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
        Option(name: name, form: .flag, help: help, defaultValue: nil) { _ in true }
    }
}

extension Option where Value == String {
    static func file(_ name: String, _ help: String) -> Option {
        Option(name: name, form: .file, help: help, defaultValue: nil) { path in
            // An empty path is usually the result of a shell variable that isn't set.
            guard !path.isEmpty else { throw UsageError("\(name) needs a file, and was given an empty name.") }
            return path
        }
    }

    static func text(_ name: String, _ word: String, _ meaning: String, _ help: String) -> Option {
        Option(name: name, form: .text(word, meaning), help: help, defaultValue: nil) { $0 }
    }
}

extension Option where Value == [String] {
    /// Returns a variant of the option that may be given several times. Its value is a list.
    static func repeatable(_ one: Option<String>) -> Option {
        Option(name: one.name, form: one.form, help: "\(one.help) (repeatable)", defaultValue: nil) {
            [try one.read($0)]
        }
    }
}

extension Option {
    /// Creates an option whose value is parsed by `read`. If `read` returns nil, parsing fails with the message that
    /// the option takes `meaning`.
    static func value(
        _ name: String, _ word: String, _ meaning: String, _ help: String, defaultValue: String? = nil,
        read: @escaping @Sendable (String) throws -> Value?
    ) -> Option {
        Option(name: name, form: .text(word, meaning), help: help, defaultValue: defaultValue) { text in
            guard let value = try read(text) else { throw UsageError("\(name) takes \(meaning), not “\(text)”.") }
            return value
        }
    }

    static func choice(
        _ name: String, _ choices: KeyValuePairs<String, Value>, _ help: String, defaultValue: String? = nil
    )
        -> Option
    {
        let words = choices.map(\.key)
        let values = choices.map(\.value)
        let form = OptionForm.choice(words)
        return Option(name: name, form: form, help: help, defaultValue: defaultValue) { text in
            guard let index = words.firstIndex(where: { ExactText($0) == ExactText(text) }) else {
                throw UsageError("\(name) takes \(form.meaning), not “\(text)”.\(Nearest.hint(to: text, among: words))")
            }
            return values[index]
        }
    }
}

extension Option where Value == Int {
    static func number(
        _ name: String, _ word: String, _ range: ClosedRange<Int>, _ help: String, defaultValue: String? = nil
    ) -> Option {
        value(name, word, "a number from \(range.lowerBound) to \(range.upperBound)", help, defaultValue: defaultValue)
        { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }
}

extension Option where Value == Int {
    /// Returns the option `--days`, the number of days up to and including today.
    static func lastDays(default days: Int) -> Option {
        number("--days", "N", 1...3_660, "the number of days, including today", defaultValue: "\(days)")
    }
}

extension Option where Value == TimeInterval {
    static func seconds(
        _ name: String, _ range: ClosedRange<TimeInterval>, _ help: String, defaultValue: String? = nil
    ) -> Option {
        let meaning = "a number of seconds from \(range.lowerBound.plainText) to \(range.upperBound.plainText)"
        return value(name, "SECONDS", meaning, help, defaultValue: defaultValue) { text in
            TimeInterval(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Option where Value == ExistDay {
    static func day(_ name: String, _ help: String) -> Option {
        value(name, "DAY", "a day such as 2026-11-20", help) { ExistDay($0) }
    }
}
