import Foundation

/// A command: what it is called, takes and is for, and what it does. Parsing, help, completions and the man page are all
/// made from this value.
struct Command: Sendable {
    /// What stands after the name and is no option.
    struct Operands: Sendable {
        /// `[NAME…]`
        var form: String
        /// How many there may be.
        var count: ClosedRange<Int>
        /// What the shell offers for them.
        var completes: Completed = .nothing

        enum Completed: Sendable {
            case nothing, files, commands
            case words([String])
        }

        static let none = Operands(form: "", count: 0...0)
    }

    /// More to say than the options do, under a heading.
    struct Note: Sendable {
        var title: String
        /// Lines as they are to be printed.
        var text: String
    }

    /// A command line, and what it does.
    struct Example: Sendable {
        var line: String
        var meaning: String

        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    var name: String
    /// One line, in lower case and without a full stop.
    var summary: String
    /// Which part of the list of commands it stands in.
    var part: Part
    var operands = Operands.none
    var options: [any AnyOption] = []
    var examples: [Example] = []
    var notes: [Note] = []
    /// Does it, and returns what the process ends with.
    var run: @Sendable (Arguments, _ environment: [String: String]) throws -> Int32

    enum Part: String, CaseIterable, Sendable {
        case reading = "READ"
        case writing = "WRITE"
        case accounts = "ACCOUNTS"
        case machines = "FOR MACHINES"
        case shell = "THE TOOL ITSELF"
    }

    /// `pledge report [options]`
    var usage: String {
        ["pledge", name, operands.form, options.isEmpty ? "" : "[options]"].filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}
