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
            var entries: [(head: String?, text: String)] = []
            var isProse = false
            for line in text.split(separator: "\n").map(String.init) {
                let gap = line.range(of: "  ")
                let isOwn = gap != nil || line.hasPrefix("{")
                if isProse, !isOwn {
                    entries[entries.count - 1].text += " " + line
                } else {
                    entries.append(
                        (
                            gap.map { String(line[..<$0.lowerBound]) },
                            String(line[(gap?.upperBound ?? line.startIndex)...])
                        ))
                }
                isProse = !isOwn
            }
            return entries
        }
    }

    struct Example: Sendable {
        var line: String
        var meaning: String

        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    var name: String
    /// One line, in lowercase and without a period.
    var summary: String
    var part: Part
    var operands = Operands.none
    var options: [any AnyOption] = []
    var examples: [Example] = []
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
