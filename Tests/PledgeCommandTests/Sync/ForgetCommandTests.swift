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

    @Test("An account is erased from the database and the results, and other accounts keep everything")
    func erased() async throws {
        sandboxes.exist.addAttribute("steps")
        sandboxes.exist.setValue(7, of: "steps", on: "2026-11-20")
        try await fill(sandboxes.lines(1...4))
        let before = folder.lines("results.jsonl")
        let outcome = try await Tool.run(["forget", "a1", "a2", "--database", database, "--results", exported])
        for words in ["results.jsonl: the line of exist account “a1”.", "study.db: mydatahelps account “a2”, "] {
            #expect(outcome.output.contains(words), "\(outcome.output)")
        }
        let kept = before.filter { !$0.contains(#""account":"a1""#) && !$0.contains(#""account":"a2""#) }
        #expect(folder.lines("results.jsonl") == kept && kept.count == 2)
        let history = try History(reading: database)
        #expect(try history.query("SELECT name FROM account ORDER BY name").rows == [["a3"], ["a4"]])
        #expect(try history.query("SELECT count(DISTINCT account) FROM value").rows == [[1]])
        // A resumed export runs the erased accounts again, as if it had never done them.
        let export = ["export", folder.path("accounts.jsonl"), "--output", exported, "--rate=100000"]
        try await Tool.run(export + ["--resume"], sandboxes.environment, saying: "2 accounts done and 0 failed")
    }

    @Test("Repeating `forget` also erases what an interrupted run left, and names accounts without data")
    func repeated() async throws {
        try await fill(sandboxes.lines(1...4))
        let line = try #require(folder.lines("results.jsonl").first { $0.contains(#""account":"a2""#) })
        let command = ["forget", "a1", "a2", "a9", "--database", database, "--results", exported]
        try await Tool.run(command)
        // Leaves what a killed command would leave: half a line, and an unfinished copy of the results.
        let kept = folder.text("results.jsonl")
        try folder.file("results.jsonl", holding: kept + line.prefix(line.count / 2))
        try folder.file(".pledge-1.tmp", holding: line)
        let names = Array(command.dropFirst(4))
        // The texts to search for are long, because a short name such as “a1” may occur in a file by chance.
        let check = ["forget", "--verify", "user of a1", #""account":"a2""#]
        let before = try await Tool.run(check + names, exits: 2)
        for words in ["” is left in \(exported), line 3.", ".pledge-1.tmp, line 1."] {
            #expect(before.output.contains(words), "\(before.output)")
        }
        let outcome = try await Tool.run(command)
        for words in [
            "Removed .pledge-1.tmp", "There is no data for “a1”", "There is no data for “a9”",
            "Rewrote \(database)",
        ] { #expect(outcome.output.contains(words), "\(outcome.output)") }
        #expect(try folder.text("results.jsonl") == kept && !folder.names.contains { $0.hasPrefix(".pledge-") })
        let after = try await Tool.run(check + names)
        #expect(after.output.hasPrefix("None of these texts is left in "), "\(after.output)")
        try await Tool.run(["forget", "--verify", "user of a3"] + names, exits: 2)
        for (text, more) in [("{}\nname of a7", "."), ("{}\nname of a7\nname of a7", ", and in 1 more line.")] {
            let end = try folder.file("end.jsonl", holding: text).path
            let found = try await Tool.run(["forget", "--verify", "name of a7", "--results", end], exits: 2)
            #expect(found.output == "“name of a7” is left in \(end), line 2\(more)\n")
        }
    }

    @Test("If the results are a link, a search also finds what a killed run left beside the linked file")
    func linked() async throws {
        try FileManager.default.createDirectory(atPath: folder.path("disk"), withIntermediateDirectories: true)
        try folder.file("disk/results", holding: "{}\n")
        try folder.file("disk/.pledge-1.tmp", holding: "name of a7")
        try FileManager.default.createSymbolicLink(atPath: folder.path("r.jsonl"), withDestinationPath: "disk/results")
        let check = ["forget", "--verify", "name of a7", "--results", folder.path("r.jsonl")]
        #expect(try await Tool.run(check, exits: 2).output.contains(".pledge-1.tmp, line 1."))
    }

    @Test("If another program reads the database, `forget` erases accounts but must be repeated in order to finish")
    func reader() async throws {
        try await fill(sandboxes.lines(1...3))
        let command = ["forget", "a1", "a3", "--database", database, "--lock-wait", "0"]
        func reading() throws -> Database {
            let reader = try Database(reading: database)
            try reader.run("BEGIN")
            _ = try reader.value("SELECT count(*) FROM account")
            return reader
        }
        var reader: Database? = try reading()
        let unchanged = try await Tool.run(command, exits: 1, saying: "is in use by another program")
        #expect(unchanged.output.isEmpty && reader != nil)
        reader = nil
        // A reader that begins while another program has the database open still sees the data from before the erasure.
        var writer: History? = try History(database)
        reader = try reading()
        #expect(writer != nil)
        writer = nil
        let outcome = try await Tool.run(command, exits: 1, saying: "run this again")
        for name in ["a1", "a3"] { #expect(outcome.output.contains("exist account “\(name)”")) }
        reader = nil
        try await Tool.run(command)
        try await Tool.run(["forget", "--verify", "user of a1", "user of a3", "--database", database])
    }

    @Test("If a name exists in both services, or a file isn't one of the tool's, nothing is changed")
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
            (["a1", "--results", exported, folder.path("diary.txt")], "is a file: write --results before each file."),
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

    // MARK: Verifying

    /// Runs `forget --verify` for a text, and returns what it prints.
    @discardableResult private func verify(_ text: String, _ files: [String], exits code: Int32) async throws -> String
    {
        try await Tool.run(["forget", "--verify", text] + files, exits: code).output
    }

    @Test("A text that crosses two pages of the database file is found, and its table and column are named")
    func acrossPages() async throws {
        try await fill(sandboxes.lines(1...2))
        let text = "ann.erased@example.org"
        // The length of the tail decides where in a page the text lies. The loop looks for a length that makes the text
        // cross two pages.
        var tail = 8000
        repeat {
            tail += 1
            let padded = String(repeating: "x", count: 3000) + text + String(repeating: "y", count: tail)
            let history = try History(database)
            try history.transaction { _ = try $0.run("UPDATE account SET username = ? WHERE id = 1", [.text(padded)]) }
            history.close()
        } while try Data(contentsOf: URL(fileURLWithPath: database)).range(of: Data(text.utf8)) != nil && tail < 8250
        #expect(tail < 8250, "no tail splits it")
        let found = try await verify(text, ["--database", database], exits: 2)
        #expect(found == "“\(text)” is left in \(database), in account.username (1 row).\n")
    }

    @Test("A text in the results is found even if it is escaped or in another encoding, and its line is named")
    func lines() async throws {
        let text = "Zoë “O'Néil” <z@example.org>"
        let written = [
            #"{"a":"Zo\u00eb \u201cO'N\u00e9il\u201d <z@example.org>"}"#,
            #"{"a":"Zoe\u0308 “O'Néil” \u003Cz@example.org>"}"#,
            #"{"a":"{\"b\":\"Zo\\u00eb “O'Néil” <z@example.org>\"}"}"#,
            #"{"a":"https://example.org/?q=Zo%C3%AB%20%E2%80%9cO%27N%c3%a9il%E2%80%9D%20%3Cz%40example.org%3E"}"#,
            #"{"a":"Zo&#235; “O&#x27;Néil” &lt;z@example.org&gt;"}"#,
        ]
        for (number, line) in written.enumerated() {
            let holding = "{}\n\(line)\n{}\n"
            let path = try folder.file("r\(number).jsonl", holding: holding).path
            #expect(try await verify(text, ["--results", path], exits: 2) == "“\(text)” is left in \(path), line 2.\n")
            for (encoding, mark) in [(String.Encoding.utf16LittleEndian, "\u{FEFF}"), (.utf16BigEndian, "")] {
                try #require((mark + holding).data(using: encoding)).write(to: URL(fileURLWithPath: path))
                #expect(try await verify(text, ["--results", path], exits: 2).hasSuffix(", line 2.\n"), "\(encoding)")
            }
            try await verify("Zoë “O'Neil”", ["--results", path], exits: 0)
        }
    }

    /// Bytes without a pattern. A closure in an argument of `@Test` would crash the compiler of Swift 6.0.
    private static let noise = (0..<9000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7 + $0) }

    @Test(
        "A file that can't be searched is reported, and never counts as erased",
        arguments: [
            (
                "gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 4, 0, 0x43, 0xBE, 0xB7, 0xE8] as [UInt8],
                "it is compressed"
            ),
            ("message", Array("-----BEGIN PGP MESSAGE-----\n\nhQEM\n".utf8), "it is encrypted"),
            ("noise", noise, "may be compressed or encrypted"),
            ("folder", [], "is not a file"),
        ])
    func unseen(name: String, bytes: [UInt8], reason: String) async throws {
        if name == "folder" {
            try folder.folder(name)
        } else {
            try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
        }
        let output = try await verify("ann", ["--results", folder.path(name)], exits: 1)
        #expect(
            output.contains(folder.path(name)) && output.contains(reason) && !output.contains("NSCocoa"), "\(output)")
        #expect(
            output.contains("They may still be in what could not be searched.")
                && !output.contains("None of these texts is left"))
        guard name != "folder" else { return }
        let asDatabase = try await verify("ann", ["--database", folder.path(name)], exits: 1)
        #expect(asDatabase.contains("it is encrypted, or not a database"), "\(asDatabase)")
        try await fill(sandboxes.lines(1...2))
        // If the text is found in another file, the exit code is 2.
        try await verify("a1", ["--database", database, "--results", folder.path(name)], exits: 2)
    }

    @Test("A file that can't be read is reported", .notRoot)
    func unreadable() async throws {
        let path = try folder.file("r.jsonl", holding: "{}\n").path
        chmod(path, 0)
        #expect(
            try await verify("ann", ["--results", path], exits: 1).contains(
                "\(path) cannot be read: Permission denied."))
    }
}
