/// The text of `pledge help`, generated from the table of commands.
struct Help {
    private let width: Int
    private let isASCII: Bool

    init(_ terminal: Terminal) {
        width = terminal.width
        isASCII = terminal.isASCII
    }

    func overview() -> String {
        let head = (CommandTable.all.map(\.name.count).max() ?? 0) + 2
        var text = lines("pledge: self-tracking data from Exist and MyDataHelps, in the terminal", indent: 0)
        text += """

            USAGE
              pledge COMMAND [options]
              pledge help COMMAND
              pledge --version

            """
        for part in Command.Part.allCases {
            let commands = CommandTable.all.filter { $0.part == part }
            text += "\n\(part.rawValue)\n"
            text += commands.map { entry($0.name, $0.summary, head: head) }.joined()
        }
        return text + "\n" + notes(CommandTable.notes)
    }

    func page(_ command: Command) -> String {
        var text = lines("pledge \(command.name): \(command.summary)", indent: 0) + "\nUSAGE\n"
        text += lines(command.usage, indent: 2)
        if !command.options.isEmpty {
            text += "\nOPTIONS\n" + entries(command.options.map { (Self.head($0), Self.sentence($0)) })
        }
        let isListing = command.options.contains { $0.name == Listing.csv.name }
        let all = command.notes + (isListing ? [Listing.note] : [])
        if !all.isEmpty { text += "\n" + notes(all) }
        if !command.examples.isEmpty {
            text += "\nEXAMPLES\n"
            // The lines of an example aren't wrapped, so that users can copy them.
            text += command.examples.map { "  \(plain($0.key))\n" + lines($0.value, indent: 6) }.joined()
        }
        return text
    }

    static func head(_ option: any AnyOption) -> String {
        [option.name, option.form.placeholder].compactMap(\.self).joined(separator: " ")
    }

    static func sentence(_ option: any AnyOption) -> String {
        option.defaultValue.map { "\(option.help) (default \($0))" } ?? option.help
    }

    private func notes(_ notes: [Command.Note]) -> String {
        notes.map { "\($0.title)\n" + entries($0.entries) }.joined(separator: "\n")
    }

    /// Returns the lines of a section. An entry with a head, such as an option's name, shows its text in a second
    /// column. An entry without a head is a paragraph.
    private func entries(_ entries: [(head: String?, text: String)]) -> String {
        let head = min((entries.compactMap { $0.head?.count }.max() ?? 0) + 2, 26, width / 3)
        return entries.map { name, text in
            if let name { return entry(name, text, head: head) }
            return lines(text, indent: 2)
        }.joined()
    }

    private func entry(_ name: String, _ text: String, head: Int) -> String {
        let (name, text) = (plain(name), lines(text, indent: head + 2))
        // If the head is too long for its column, the text begins on the next line.
        guard name.count + 2 <= head else { return lines(name, indent: 2) + text }
        return "  " + name.padded(to: head) + text.dropFirst(head + 2)
    }

    private func plain(_ text: String) -> String { isASCII ? text.inASCII : text }

    private func lines(_ text: String, indent: Int) -> String {
        plain(text).wrapped(to: width - indent, splittingWords: false)
            .map { String(repeating: " ", count: indent) + $0 + "\n" }.joined()
    }
}
