import Foundation

/// The manual page in roff, generated from the table of commands.
enum ManPage {
    static func rendered() -> String {
        var page = """
            .TH PLEDGE 1 "" "pledge \(Version.text)" "User Commands"
            .SH NAME
            pledge \\- self-tracking data in the terminal
            .SH SYNOPSIS
            .B pledge
            .I COMMAND
            [options]
            .SH COMMANDS

            """
        for command in CommandTable.all {
            page += ".SS \(escaped(command.usage))\n\(escaped(command.summary.capitalizedSentence)).\n"
            for option in command.options {
                page += ".TP\n\\fB\(escaped(option.name))\\fR"
                if let placeholder = option.form.placeholder { page += " \\fI\(escaped(placeholder))\\fR" }
                page += "\n\(escaped(Help.sentence(option).capitalizedSentence)).\n"
            }
            for note in command.notes {
                page += ".PP\n.B \(escaped(note.title))\n" + entries(note)
            }
            for example in command.examples {
                page += ".PP\n.EX\n\(escaped(example.line))\n.EE\n\(escaped(example.meaning.capitalizedSentence)).\n"
            }
        }
        for note in CommandTable.notes {
            page += ".SH \(escaped(note.title))\n" + entries(note)
        }
        return page
    }

    private static func entries(_ note: Command.Note) -> String {
        note.entries.map { head, text in
            let text = escaped(text) + "\n"
            if let head { return ".TP\n\\fB\(escaped(head))\\fR\n" + text }
            return text.hasPrefix("{") ? ".PP\n.EX\n\(text).EE\n" : ".PP\n" + text
        }.joined()
    }

    /// Returns the text escaped: at the start of a line, a dot or apostrophe would be a request, and a `-` is a hyphen.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let safe = line.replacingOccurrences(of: "\\", with: "\\e").replacingOccurrences(of: "-", with: "\\-")
                .unicodeScalars.map { $0.isASCII ? String($0) : "\\[u" + code(of: $0) + "]" }.joined()
            return safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe
        }.joined(separator: "\n")
    }

    /// Returns a scalar as at least four hexadecimal digits, because older programs can't read UTF-8.
    private static func code(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
