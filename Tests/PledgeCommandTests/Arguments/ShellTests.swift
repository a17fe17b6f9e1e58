import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Runs the completion scripts in real shells. The test of a shell that isn't installed is skipped.
@Suite("Shell integration", .serialized)
struct ShellTests {
    private func run(_ name: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        try Executable.run(
            [try #require(Executable.path(name))] + arguments,
            environment: Tool.environment([
                "PATH": "/usr/bin:/bin:/usr/local/bin:\(Tool.executable.deletingLastPathComponent().path)",
                "TERM": "dumb", "LC_ALL": "C.UTF-8",
            ]))
    }

    /// Writes the completion script that the tool prints for a shell to a file, and returns the file's path.
    private func script(_ shell: String, in folder: TemporaryFolder) async throws -> String {
        let printed = try await Tool.run(["completions", shell])
        #expect(printed.status == 0)
        return try folder.file("completions", holding: printed.output).path
    }

    /// Unfinished command lines, each with the word that completes its last word.
    private static let lines = [
        ("attr", "attributes"), ("report --js", "--json"), ("forget --service e", "exist"), ("completions z", "zsh"),
        ("help sta", "status"), ("export --res", "--resume"),
    ]

    @Test("bash completes commands, options, values, and file names", .needs("bash"))
    func bash() async throws {
        let folder = try TemporaryFolder()
        try folder.file("a week.html", holding: "")
        let script = try await script("bash", in: folder)
        for (words, completions) in Self.lines.map({ ($0.words, [$1]) }) + [
            (["report", "--html", "a w"], ["a week.html"]), (["forget", "--service", "=", "e"], ["exist"]),
            (["forget", "--service", ""], ["exist", "mydatahelps"]), (["report", "--days", ""], []),
        ] {
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            let line = """
                cd '\(folder.url.path)'; source '\(script)'; COMP_WORDS=(pledge \(list)); COMP_CWORD=\(words.count); _pledge; \
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let output = try run("bash", ["--norc", "-c", line]).output
            #expect(output.split(separator: "\n").map(String.init) == completions, "\(words)")
        }
    }

    @Test("fish completes commands, options, and values, with their descriptions", .needs("fish"))
    func fish() async throws {
        let folder = try TemporaryFolder()
        let script = try await script("fish", in: folder)
        func complete(_ line: String) throws -> String {
            try run("fish", ["--no-config", "-c", "source '\(script)'; complete -C 'pledge \(line)'"]).output
        }
        for (line, completion) in Self.lines {
            #expect(try complete(line).split { "\t\n".contains($0) }.first.map(String.init) == completion)
        }
        #expect(try complete("rep") == "report\tshow a week of your data, compared with what is usual for you\n")
        #expect(try complete("report --jso") == "--json\tprint the report as JSON\n")
        let service = "exist\tthe service, if both have an account of that name\n"
        #expect(try complete("forget --service e") == service)
    }

    @Test("zsh completes commands, options, and values at its own prompt", .needs("zsh"))
    func zsh() async throws {
        let folder = try TemporaryFolder()
        let script = try await script("zsh", in: folder)
        // zsh completes only in a terminal, so the driver starts it in a pseudo-terminal. There it types each
        // unfinished line and a tab, and reads the completed line.
        let driver = """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1= RPS1=; autoload -Uz compinit; compinit -u -D; source '\(script)'; pledge() { print -r -- GO''T:\\"\\$*\\":EN''D }; print REA''DY"
            zpty -r -m shell out '*READY*'
            for line in \(Self.lines.map { "'\($0.0)'" }.joined(separator: " ")); do
              zpty -w -n shell "pledge $line"$'\\t\\n'
              zpty -r -m shell out '*GOT:*:END*'
              print -r -- "${out##*GOT:}"
            done
            """
        let run = try run("zsh", ["-f", try folder.file("driver", holding: driver).path])
        let lines = run.output.split(whereSeparator: \.isNewline).map { $0.components(separatedBy: ":END")[0] }
        for (line, completion) in Self.lines {
            let wanted = (line.words.dropLast() + [completion]).joined(separator: " ")
            #expect(lines.contains(wanted), "\(wanted) is not among \(lines)")
        }
    }
}
