/// A parsed command line: the values of the options, and the operands.
///
/// `--name value` and `--name=value` mean the same. Every word after `--` is an operand.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    private(set) var context: RunContext
    private var values: [String: any Sendable] = [:]
    let command: Command

    var terminal: Terminal { context.terminal }

    var environment: [String: String] {
        get { context.terminal.environment }
        set { context.terminal.environment = newValue }
    }

    subscript<Value>(option: Option<Value>) -> Value? { values[option.name] as? Value }

    /// Returns the option's value. If the command line doesn't have the option, returns the default value that the help
    /// shows.
    func value<Value>(_ option: Option<Value>) throws -> Value {
        try self[option] ?? option.read(option.defaultValue ?? "")
    }

    subscript(flag: Option<Bool>) -> Bool { values[flag.name] as? Bool ?? false }

    func has(_ option: any AnyOption) -> Bool { values[option.name] != nil }

    func accepts(_ option: any AnyOption) -> Bool { command.options.contains { $0.name == option.name } }

    init(_ words: [String], of command: Command, in context: RunContext = RunContext()) throws {
        self.command = command
        self.context = context
        var rest = words[...]
        var onlyOperands = false
        while let word = rest.popFirst() {
            if onlyOperands || !word.hasPrefix("-") || word == "-" {
                operands.append(word)
            } else if word == "--" {
                onlyOperands = true
            } else {
                try take(word, &rest)
            }
        }
        if operands.contains("") {
            throw UsageError("“pledge \(command.name)” was given an empty argument: is a variable unset?")
        }
        let count = command.operands.count
        if operands.count > count.upperBound {
            let extra = operands[count.upperBound]
            guard count.upperBound == 0 else {
                throw UsageError("“pledge \(command.name)” takes \(command.operands.form): “\(extra)” is too many.")
            }
            let near = Nearest.hint(to: "--" + extra, among: command.options.map(\.name))
            // The argument may be a password that the user typed in the wrong place. So the message quotes the argument
            // only if it resembles an option.
            throw UsageError(
                "“pledge \(command.name)” takes no argument" + (near.isEmpty ? "." : " “\(extra)”.\(near)"))
        }
        if operands.count < count.lowerBound {
            throw UsageError("“pledge \(command.name)” needs \(command.operands.form).")
        }
    }

    private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let attached = parts.count == 2 ? parts[1] : nil
        guard let option = command.options.first(where: { $0.name == parts[0] }) else {
            let near = Nearest.hint(to: parts[0], among: command.options.map(\.name))
            throw UsageError("“pledge \(command.name)” has no option “\(parts[0])”.\(near)")
        }
        if case .flag = option.form {
            guard attached == nil else { throw UsageError("\(option.name) takes no value.") }
            return values[option.name] = try option.parse("")
        }
        let text: String
        if let attached {
            text = attached
        } else if let next = rest.first, !next.hasPrefix("--") {
            text = next
            rest.removeFirst()
        } else {
            throw UsageError("\(option.name) needs \(option.form.meaning).")
        }
        let value = try option.parse(text)
        if let texts = value as? [String], let earlier = values[option.name] as? [String] {
            values[option.name] = earlier + texts
        } else if values[option.name] != nil {
            throw UsageError("\(option.name) is given twice.")
        } else {
            values[option.name] = value
        }
    }
}

/// Finds the known word that a misspelled word resembles.
enum Nearest {
    /// Returns a hint such as ` Did you mean “--json”?`, with a leading space. The hint is empty if no known word is
    /// similar enough.
    static func hint(to word: String, among known: [String]) -> String {
        find(word, among: known).map { " Did you mean “\($0)”?" } ?? ""
    }

    /// Returns the known word with the smallest edit distance to `word`, or nil if no known word is similar enough. A
    /// wrong letter counts as two edits: one to remove it and one to insert the right one.
    static func find(_ word: String, among known: [String]) -> String? {
        // A very long word isn't a misspelling. Comparing it would be slow, because the cost grows with the product of
        // both lengths.
        guard word.utf8.count <= 64 else { return nil }
        // A word such as --no-json isn't a misspelling of --json. The user wants the opposite, so --json would be a bad
        // suggestion.
        guard !word.hasPrefix("--no-") else { return nil }
        let typed = Array(word.lowercased().utf8)
        let letters = typed.count { $0 != UInt8(ascii: "-") }
        let near = known.map { (word: $0, changes: Array($0.lowercased().utf8).difference(from: typed).count) }
            .min { $0.changes < $1.changes }
        if let near, near.changes <= (letters <= 4 ? 2 : max(3, letters / 2)) { return near.word }
        // The word may be an abbreviation, such as --data for --database.
        return letters >= 3 ? known.first { $0.hasPrefix(word) } : nil
    }
}
