import Foundation

/// A command: its name, purpose, arguments, and action. Parsing, help, and completions derive from it.
struct Command: Sendable {
    struct Operands: Sendable {
        /// The form in help, such as `[NAME…]`.
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
        /// The text, wrapped where it is shown, except for lines of JSON. Two spaces separate a name from its meaning.
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
    /// One line, in lowercase and without a period.
    var summary: String
    var part: Part
    var operands = Operands.none
    var options: [any AnyOption] = []
    /// Command lines, each with its meaning.
    var examples: KeyValuePairs<String, String> = [:]
    var notes: [Note] = []
    /// Returns the exit code of the process.
    var run: @Sendable (Arguments) throws -> Int32

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
