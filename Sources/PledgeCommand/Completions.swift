import Foundation

/// Completion of command lines in shells. The shell's script runs this tool to find out which words may come next.
enum Completions: String, CaseIterable {
    case bash, zsh, fish

    /// The hidden command that the shell's script runs. Its arguments are the words of the command line up to the
    /// cursor.
    static let command = "complete"
    /// The output that tells the shell's script to complete the name of a file.
    private static let files = ":files"

    /// Returns the possible completions of the last word, one per line. A completion that has a meaning is followed by
    /// a tab and that meaning.
    static func completions(of words: [String]) -> String {
        // bash passes the equals sign between an option and its value as a word of its own.
        let last = words.last.map { $0 == "=" ? "" : $0 } ?? ""
        return lines(after: words.dropLast().filter { $0 != "=" }, beginning: last).map { $0 + "\n" }.joined()
    }

    private static func lines(after words: [String], beginning last: String) -> [String] {
        func lines(_ found: [(word: String, meaning: String)], after prefix: String = "") -> [String] {
            found.filter { (prefix + $0.word).hasPrefix(last) }
                .map { "\(prefix)\($0.word)" + ($0.meaning.isEmpty ? "" : "\t\($0.meaning)") }
        }
        let commands = CommandTable.all.map { (word: $0.name, meaning: $0.summary) }
        guard let name = words.first else { return lines(commands) }
        guard let command = try? CommandTable.find(name) else { return [] }
        let sign = last.hasPrefix("--") ? last.firstIndex(of: "=") : nil
        let before = sign.map { String(last[..<$0]) } ?? words.last
        if let option = command.options.first(where: { $0.name == before }) {
            switch option.form {
            case .file: return [files]
            case .choice(let choices):
                return lines(choices.map { ($0, option.help) }, after: sign == nil ? "" : "\(option.name)=")
            case .text: return []
            case .flag: break
            }
        }
        let options = lines(command.options.map { ($0.name, $0.help) })
        if last.hasPrefix("-") { return options }
        switch command.operands.completes {
        case .nothing: return options
        case .files: return [files]
        case .commands: return lines(commands)
        case .words(let words): return lines(words.map { ($0, "") })
        }
    }

    var script: String {
        switch self {
        case .bash:
            """
            # bash completion for pledge
            _pledge() {
                local word=${COMP_WORDS[COMP_CWORD]} found
                COMPREPLY=()
                while IFS= read -r found; do COMPREPLY+=("${found%%$'\\t'*}"); done \\
                    < <(command pledge \(Self.command) "${COMP_WORDS[@]:1:COMP_CWORD}")
                if [ "$COMPREPLY" = "\(Self.files)" ]; then
                    COMPREPLY=()
                    compopt -o filenames 2>/dev/null
                    while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "${word#=}")
                fi
            }
            complete -F _pledge pledge

            """
        case .zsh:
            """
            #compdef pledge
            _pledge() {
                local -a found=("${(@f)$(command pledge \(Self.command) "${(@)words[2,CURRENT]}")}")
                if [[ $found[1] == \(Self.files) ]]; then _files; return; fi
                found=("${(@)found/$'\\t'/:}")
                _describe word found
            }
            if [ "$funcstack[1]" = _pledge ]; then _pledge "$@"; else compdef _pledge pledge; fi

            """
        case .fish:
            """
            # fish completion for pledge
            function __pledge
                set -l word (commandline -ct)
                set -l found (command pledge \(Self.command) (commandline -opc)[2..] "$word")
                if test "$found" = "\(Self.files)"
                    __fish_complete_path "$word"
                else
                    printf '%s\\n' $found
                end
            end
            complete -c pledge -f -a '(__pledge)'

            """
        }
    }
}
