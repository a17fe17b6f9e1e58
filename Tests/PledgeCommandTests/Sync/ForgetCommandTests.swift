import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeHistory

@Suite("`pledge forget`")
final class ForgetCommandTests: ToolSuite {
    init() throws { try super.init(isEmpty: true) }

    private var database: String { folder.path("study.db") }
    private var exported: String { folder.path("results.jsonl") }

    /// Syncs and exports the accounts of these lines.
    private func fill(_ lines: String) async throws {
        let accounts = try accounts(lines)
        for command in [["sync", accounts, "--database", database], ["export", accounts, "--output", exported]] {
            try await Tool.run(command + ["--rate=100000"], sandboxes.environment)
        }
    }

    @Test("An account is erased from database and results, which keep everything of the others")
    func erased() async throws {
        sandboxes.exist.addAttribute("steps")
        sandboxes.exist.setValue(7, of: "steps", on: "2026-11-20")
        try await fill(sandboxes.lines(1...4))
        let before = folder.lines("results.jsonl")
        let outcome = try await Tool.run(["forget", "a1", "a2", "--database", database, "--results", exported])
        for words in ["results.jsonl: exist account “a1”, its line.", "study.db: mydatahelps account “a2”, "] {
            #expect(outcome.output.contains(words), "\(outcome.output)")
        }
        let kept = before.filter { !$0.contains(#""account":"a1""#) && !$0.contains(#""account":"a2""#) }
        #expect(folder.lines("results.jsonl") == kept && kept.count == 2)
        let history = try History(reading: database)
        #expect(try history.query("SELECT name FROM account ORDER BY name").rows == [["a3"], ["a4"]])
        #expect(try history.query("SELECT count(DISTINCT account) FROM value").rows == [[1]])
        // The run goes on as if they had never been done.
        let export = ["export", folder.path("accounts.jsonl"), "--output", exported, "--rate=100000"]
        try await Tool.run(export + ["--resume"], sandboxes.environment, saying: "2 accounts done and 0 failed")
    }

    @Test("Erasing does not depend on what is still there: what an earlier run has not reached is erased, and said")
    func repeated() async throws {
        try await fill(sandboxes.lines(1...4))
        let line = try #require(folder.lines("results.jsonl").first { $0.contains(#""account":"a2""#) })
        let command = ["forget", "a1", "a2", "a9", "--database", database, "--results", exported]
        try await Tool.run(command)
        // As after a kill: half a line, and the copy that was being written.
        let kept = folder.text("results.jsonl")
        try folder.file("results.jsonl", holding: kept + line.prefix(line.count / 2))
        try folder.file(".pledge-1.tmp", holding: line)
        let names = Array(command.dropFirst(4))
        // Short names may be anywhere by chance.
        let check = ["forget", "--verify", "user of a1", #""account":"a2""#]
        let before = try await Tool.run(check + names, exits: 2)
        for words in ["” is left in \(exported), at", ".pledge-1.tmp, at"] {
            #expect(before.output.contains(words), "\(before.output)")
        }
        let outcome = try await Tool.run(command)
        for words in [
            "Removed: .pledge-1.tmp", "Nothing was found of “a1”", "Nothing was found of “a9”",
            "Written anew: \(database)",
        ] { #expect(outcome.output.contains(words), "\(outcome.output)") }
        #expect(try folder.text("results.jsonl") == kept && !folder.names.contains { $0.hasPrefix(".pledge-") })
        let after = try await Tool.run(check + names)
        #expect(after.output.hasPrefix("Nothing of this is left in "), "\(after.output)")
        try await Tool.run(["forget", "--verify", "user of a3"] + names, exits: 2)
        for (text, more) in [("{} name of a7", "."), ("{} name of a7 name of a7", ", and at 1 more.")] {
            let end = try folder.file("end.jsonl", holding: text).path
            let found = try await Tool.run(["forget", "--verify", "name of a7", "--results", end], exits: 2)
            #expect(found.output == "“name of a7” is left in \(end), at byte 3\(more)\n")
        }
    }

    @Test("With a reader in the way, everyone is erased and said, and the same command then ends it")
    func reader() async throws {
        try await fill(sandboxes.lines(1...3))
        let command = ["forget", "a1", "a3", "--database", database, "--lock-wait", "0"]
        var reader: Database? = try Database(reading: database)
        try reader?.run("BEGIN")
        _ = try reader?.value("SELECT count(*) FROM account")
        let outcome = try await Tool.run(command, exits: 1, saying: "run this again")
        for name in ["a1", "a3"] { #expect(outcome.output.contains("exist account “\(name)”")) }
        reader = nil
        try await Tool.run(command)
        try await Tool.run(["forget", "--verify", "user of a1", "user of a3", "--database", database])
    }

    @Test("Nothing is changed if a name is in both services, or if a file is not one of ours")
    func refused() async throws {
        sandboxes.exist.addToken("twin", username: "twin")
        sandboxes.participants.addToken("twin")
        try await fill(
            sandboxes.lines(1...1) + #"{"service":"exist","account":"twin","token":"twin"}"# + "\n"
                + #"{"service":"mydatahelps","account":"twin","token":"twin"}"# + "\n")
        let before = folder.text("results.jsonl")
        try folder.file("diary.txt", holding: "Dear diary\n")
        for (arguments, words) in [
            (["twin", "--results", exported, "--database", database], "choose one with --service"),
            (["a1", "--results", exported, "--results", folder.path("diary.txt")], "does not contain results"),
            (["a1", "--results", exported, "--results", folder.path("none.jsonl")], "There is no "),
            (["a1", "--results", exported, folder.path("diary.txt")], "is a file: write --results before each."),
            (["a1", "--database", folder.path("none.db")], "There is no "), (["a1"], "needs --database or --results"),
            (["--database", database], "needs ACCOUNT…"), (["--verify", "--database", database], "needs ACCOUNT…"),
            (["--verify", "a1", database, "--database", database], "is a file: write --results before each"),
        ] {
            try await Tool.run(["forget"] + arguments, exits: 64, saying: words)
        }
        #expect(folder.text("results.jsonl") == before)
        #expect(try History(reading: database).query("SELECT count(*) FROM account").rows == [[3]])
        try await Tool.run(["forget", "twin", "--service", "exist", "--database", database, "--results", exported])
        #expect(
            try History(reading: database).query("SELECT service, name FROM account ORDER BY id").rows == [
                ["exist", "a1"], ["mydatahelps", "twin"],
            ])
        #expect(folder.lines("results.jsonl").count == 2)
    }
}
