/// The text of `pledge help`, generated from the table of commands.
enum Help {
    /// Returns the list of all commands, one per line.
    static func overview() -> String {
        let width = (CommandTable.all.map(\.name.count).max() ?? 0) + 2
        var text = """
            pledge: self-tracking data from Exist and MyDataHelps, in the terminal

            USAGE
              pledge COMMAND [options]
              pledge help COMMAND
              pledge --version

            """
        for part in Command.Part.allCases {
            let commands = CommandTable.all.filter { $0.part == part }
            text += "\n\(part.rawValue)\n"
            text += commands.map { entry($0.name, $0.summary, width: width) }.joined()
        }
        return text + "\n" + notes(CommandTable.notes)
    }

    /// Returns the help page of one command, with its options and examples.
    static func page(_ command: Command) -> String {
        var text = "pledge \(command.name): \(command.summary)\n\nUSAGE\n  \(command.usage)\n"
        if !command.options.isEmpty {
            let heads = command.options.map(head)
            let width = min((heads.map(\.count).max() ?? 0) + 2, 26)
            text += "\nOPTIONS\n"
            text += zip(heads, command.options).map { entry($0, sentence($1), width: width) }.joined()
        }
        if !command.notes.isEmpty { text += "\n" + notes(command.notes) }
        if !command.examples.isEmpty {
            text += "\nEXAMPLES\n"
            text += command.examples.map { "  \($0.line)\n" + wrapped($0.meaning, indent: 6) }.joined()
        }
        return text
    }

    /// Returns an option with its placeholder, such as `--days N`.
    static func head(_ option: any AnyOption) -> String {
        [option.name, option.form.placeholder].compactMap(\.self).joined(separator: " ")
    }

    /// Returns the purpose of an option and its default.
    static func sentence(_ option: any AnyOption) -> String {
        option.usual.map { "\(option.help) (default \($0))" } ?? option.help
    }

    private static let columns = 100

    private static func entry(_ head: String, _ text: String, width: Int) -> String {
        let lines = text.wrapped(to: columns - width - 2)
        // A head that is too long for its column gets its own line.
        let isLong = head.count + 2 > width
        let rest = (isLong ? lines[...] : lines.dropFirst()).map {
            String(repeating: " ", count: width + 2) + $0 + "\n"
        }
        return "  " + (isLong ? head : head.padded(to: width) + (lines.first ?? "")) + "\n" + rest.joined()
    }

    private static func wrapped(_ text: String, indent: Int) -> String {
        text.wrapped(to: columns - indent).map { String(repeating: " ", count: indent) + $0 + "\n" }.joined()
    }

    private static func notes(_ notes: [Command.Note]) -> String {
        notes.map { note in
            let lines = note.text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)\n" }
            return "\(note.title)\n" + lines.joined()
        }.joined(separator: "\n")
    }
}
