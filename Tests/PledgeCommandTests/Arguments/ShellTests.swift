import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Shells ask the tool what may come next; a test is skipped where its program is not installed.
@Suite("Shell integration", .serialized, .timeLimit(.minutes(60)))
struct ShellTests {
    private func run(_ name: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        try Executable.run(
            [try #require(Executable.path(name))] + arguments,
            environment: [
                "PATH": "/usr/bin:/bin:/usr/local/bin:\(Tool.executable.deletingLastPathComponent().path)",
                "TERM": "dumb", "LC_ALL": "C.UTF-8",
            ])
    }

    /// Returns the completion script for a shell, as the tool prints it.
    private func script(_ shell: String, in folder: TemporaryFolder) async throws -> String {
        let printed = try await Tool.run(["completions", shell])
        #expect(printed.status == 0)
        return try folder.file("completions", holding: printed.output).path
    }

    @Test("bash completes commands, options, values, and files", .needs("bash"))
    func bash() async throws {
        let folder = try TemporaryFolder()
        try folder.file("a week.html", holding: "")
        let script = try await script("bash", in: folder)
        func complete(_ words: String...) async throws -> [String] {
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            let line = """
                cd '\(folder.url.path)'; source '\(script)'; COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _pledge; \
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            return try run("bash", ["--norc", "-c", line]).output.split(separator: "\n").map(String.init)
        }
        #expect(try await complete("pledge", "rep") == ["report"])
        #expect(try await complete("pledge", "report", "--js") == ["--json"])
        #expect(try await complete("pledge", "forget", "--service", "") == ["exist", "mydatahelps"])
        #expect(try await complete("pledge", "forget", "--service", "=", "e") == ["exist"])
        #expect(try await complete("pledge", "report", "--html", "a w") == ["a week.html"])
        #expect(try await complete("pledge", "completions", "z") == ["zsh"])
        #expect(try await complete("pledge", "help", "sta") == ["status"])
        #expect(try await complete("pledge", "report", "--days", "").isEmpty)
    }

    @Test("fish completes commands, options, and values, with their descriptions", .needs("fish"))
    func fish() async throws {
        let folder = try TemporaryFolder()
        let script = try await script("fish", in: folder)
        func complete(_ line: String) async throws -> [String] {
            try run("fish", ["--no-config", "-c", "source '\(script)'; complete -C '\(line)'"]).output
                .split(separator: "\n").map(String.init)
        }
        #expect(
            try await complete("pledge rep") == [
                "report\tshow a week of your data, compared with what is usual for you"
            ])
        #expect(try await complete("pledge report --jso") == ["--json\tprint the report as JSON"])
        #expect(
            try await complete("pledge forget --service e") == [
                "exist\tthe service, if both have an account of that name"
            ])
        #expect(try await complete("pledge completions z") == ["zsh"])
    }

    @Test("zsh completes commands, options, and values at its own prompt", .needs("zsh"))
    func zsh() async throws {
        let folder = try TemporaryFolder()
        let script = try await script("zsh", in: folder)
        // In a pseudo-terminal, as a person would: types the beginning of a line and a tab, and reads the line.
        let driver = """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1= RPS1=; autoload -Uz compinit; compinit -u -D; source '\(script)'; pledge() { print -r -- GO''T:\\"\\$*\\":EN''D }; print REA''DY"
            zpty -r -m shell out '*READY*'
            for line in 'attr' 'report --jso' 'forget --service e' 'completions z' 'help sta'; do
              zpty -w -n shell "pledge $line"$'\\t\\n'
              zpty -r -m shell out '*GOT:*:END*'
              print -r -- "${out##*GOT:}"
            done
            """
        let file = try folder.file("driver", holding: driver).path
        let run = try run("zsh", ["-f", file])
        let lines = run.output.split(whereSeparator: \.isNewline).map { $0.components(separatedBy: ":END")[0] }
        for wanted in ["attributes", "report --json", "forget --service exist", "completions zsh", "help status"] {
            #expect(lines.contains(wanted), "\(wanted) is not among \(lines)")
        }
    }
}
