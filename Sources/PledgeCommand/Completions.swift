import Foundation

/// The shell scripts that complete the tool's command lines, generated from the table of commands.
enum Completions: String, CaseIterable, Sendable {
    case bash, zsh, fish

    var script: String {
        switch self {
        case .bash: Self.forBash
        case .zsh: Self.forZsh
        case .fish: Self.forFish
        }
    }

    /// Returns the words that complete a command's operands; nil for files.
    private static func words(_ operands: Command.Operands) -> [String]? {
        switch operands.completes {
        case .nothing: []
        case .files: nil
        case .commands: CommandTable.all.map(\.name)
        case .words(let words): words
        }
    }

    private static var forBash: String {
        let values = CommandTable.all.flatMap { command in
            command.options.compactMap { option -> String? in
                switch option.form {
                case .flag: nil
                case .file: "        '\(command.name) \(option.name)') _pledge_files; return ;;"
                case .choice(let words):
                    "        '\(command.name) \(option.name)') _pledge_words '\(words.joined(separator: " "))'; return ;;"
                case .text: "        '\(command.name) \(option.name)') return ;;"
                }
            }
        }
        let commands = CommandTable.all.map { command -> String in
            let operands = words(command.operands)
            let all = command.options.map(\.name) + (operands ?? [])
            let files = operands == nil ? "; case $word in -*) ;; *) _pledge_files ;; esac" : ""
            return "        \(command.name)) _pledge_words '\(all.joined(separator: " "))'\(files) ;;"
        }
        return """
            # bash completion for pledge
            _pledge_words() {
                local found
                while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -W "$1" -- "$word")
            }
            _pledge_files() {
                local found
                compopt -o filenames 2>/dev/null
                while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$word")
            }
            _pledge() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
                COMPREPLY=()
                # bash takes the sign between an option and its value for a word.
                if [ "$word" = "=" ]; then word=; elif [ "$before" = "=" ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
                if [ "$COMP_CWORD" -eq 1 ]; then _pledge_words '\(CommandTable.all.map(\.name).joined(separator: " "))'; return; fi
                case "$command $before" in
            \(values.joined(separator: "\n"))
                esac
                case "$command" in
            \(commands.joined(separator: "\n"))
                esac
            }
            complete -F _pledge pledge

            """
    }

    /// Returns the text in single quotes for a POSIX shell.
    private static var forZsh: String {
        let commands = CommandTable.all.map { "        " + "\($0.name):\($0.summary)".quotedForShell }
        let arguments = CommandTable.all.map { command -> String in
            let options = command.options.map { option -> String in
                let help = option.help.replacingOccurrences(of: "[", with: "(").replacingOccurrences(of: "]", with: ")")
                switch option.form {
                case .flag: return "\(option.name)[\(help)]".quotedForShell
                case .file: return "\(option.name)=[\(help)]:file:_files".quotedForShell
                case .choice(let words):
                    return "\(option.name)=[\(help)]:value:(\(words.joined(separator: " ")))".quotedForShell
                case .text(let word, _): return "\(option.name)=[\(help)]:\(word): ".quotedForShell
                }
            }
            let operands = words(command.operands).map { $0.isEmpty ? nil : "(\($0.joined(separator: " ")))" }
            let rest = operands.map { $0.map { "*:word:\($0)".quotedForShell } } ?? "*:file:_files".quotedForShell
            let lines = (options + [rest].compactMap(\.self)).map { "            \($0)" }.joined(separator: " \\\n")
            return "        \(command.name)) _arguments \\\n\(lines) ;;"
        }
        return """
            #compdef pledge
            _pledge() {
                local -a commands
                commands=(
            \(commands.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then _describe command commands; return; fi
                shift words
                (( CURRENT-- ))
                case $words[1] in
            \(arguments.joined(separator: "\n"))
                esac
            }
            if [ "$funcstack[1]" = _pledge ]; then _pledge "$@"; else compdef _pledge pledge; fi

            """
    }

    private static var forFish: String {
        var lines = ["# fish completion for pledge", "complete -c pledge -f"]
        for command in CommandTable.all {
            lines.append(
                "complete -c pledge -n __fish_use_subcommand -a \(command.name) -d \(fishQuoted(command.summary))")
            let start = "complete -c pledge -n '__fish_seen_subcommand_from \(command.name)'"
            for option in command.options {
                let name = "\(start) -l \(option.name.dropFirst(2)) -d \(fishQuoted(option.help))"
                switch option.form {
                case .flag: lines.append(name)
                case .file: lines.append("\(name) -r -F")
                case .choice(let words): lines.append("\(name) -x -a '\(words.joined(separator: " "))'")
                case .text: lines.append("\(name) -x")
                }
            }
            if let words = words(command.operands) {
                if !words.isEmpty { lines.append("\(start) -a '\(words.joined(separator: " "))'") }
            } else {
                lines.append("\(start) -F")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the text in single quotes for fish, which escapes quotes and backslashes with a backslash.
    private static func fishQuoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "\\'") + "'"
    }
}
