import Foundation
import PledgeHistory
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("`pledge forget`", .timeLimit(.minutes(60)))
final class ForgetCommandTests: FolderSuite {
    /// Syncs and exports the accounts of these lines.
    private func fill(_ lines: String, from services: BothSandboxes) async throws {
        let accounts = try folder.file("accounts.jsonl", holding: lines).path
        for command in [
            ["sync", accounts, "--database", folder.path("study.db")],
            ["export", accounts, "--output", folder.path("results.jsonl"), "--format", "jsonl,csv", "--days", "3"],
        ] {
            try await Tool.run(command + ["--rate=100000"], services.environment)
        }
    }

    @Test("An account is erased from database, results, and tables, which keep everything of the others")
    func erased() async throws {
        let services = try BothSandboxes()
        try await fill(services.lines(1...4), from: services)
        func rows() -> [String] { folder.text("results.values.csv").components(separatedBy: "\r\n") }
        let (results, values) = (folder.lines("results.jsonl"), rows())
        let outcome = try await Tool.run([
            "forget", "a1", "a2", "--database", folder.path("study.db"), "--results", folder.path("results.jsonl"),
            "--compact",
        ])
        for words in ["results.jsonl: exist account “a1”, its line.", "study.db: mydatahelps account “a2”, "] {
            #expect(outcome.output.contains(words), "\(outcome.output)")
        }
        let kept = results.filter { !$0.contains(#""account":"a1""#) && !$0.contains(#""account":"a2""#) }
        #expect((folder.lines("results.jsonl") == kept) == true && kept.count == 2)
        let rest = values.filter { !$0.hasPrefix("exist,a1,") && !$0.hasPrefix("mydatahelps,a2,") }
        #expect((rows() == rest) == true && rest.count < values.count)
        let history = try History(reading: folder.path("study.db"))
        #expect(try history.query("SELECT name FROM account ORDER BY name").rows == [["a3"], ["a4"]])
        #expect(try history.query("SELECT count(DISTINCT account) FROM value").rows == [[1]])
        // The run goes on as if they had never been done.
        try await Tool.run(
            [
                "export", folder.path("accounts.jsonl"), "--output", folder.path("results.jsonl"), "--resume",
                "--rate=100000", "--format", "jsonl,csv", "--days", "3",
            ], services.environment, saying: "2 accounts done and 0 failed")
    }

    @Test("Nothing is changed if a name is unknown, or in both services, or if a file is not one of ours")
    func refused() async throws {
        let services = try BothSandboxes(isEmpty: true)
        services.exist.addToken("twin", username: "twin")
        services.participants.addToken("twin")
        try await fill(
            services.lines(1...1) + #"{"service":"exist","account":"twin","token":"twin"}"# + "\n"
                + #"{"service":"mydatahelps","account":"twin","token":"twin"}"# + "\n", from: services)
        let (database, results) = (folder.path("study.db"), folder.path("results.jsonl"))
        let before = folder.text("results.jsonl")
        try folder.file("diary.txt", holding: "Dear diary\n")
        for (arguments, words) in [
            (["a1", "a7", "--database", database, "--results", results], "There is no account “a7”."),
            (["twin", "--results", results, "--database", database], "choose one with --service"),
            (["a1", "--results", results, "--results", folder.path("diary.txt")], "does not contain results"),
            (["a1", "--results", results, "--results", folder.path("none.jsonl")], "There is no "),
            (["a1", "--database", folder.path("none.db")], "There is no "), (["a1"], "needs --database or --results"),
        ] {
            try await Tool.run(["forget"] + arguments, exits: 64, saying: words)
        }
        #expect(folder.text("results.jsonl") == before)
        #expect(try History(reading: database).query("SELECT count(*) FROM account").rows == [[3]])
        try await Tool.run([
            "forget", "twin", "--service", "exist", "--database", database, "--results", results,
        ])
        #expect(
            try History(reading: database).query("SELECT service, name FROM account ORDER BY id").rows == [
                ["exist", "a1"], ["mydatahelps", "twin"],
            ])
        #expect(folder.lines("results.jsonl").count == 2)
    }
}
