import ExistKit
import Foundation
import Testing

@testable import PledgeCommand

@Suite("Parsing a command line")
struct ArgumentsTests {
    private static let days = Option.number("--days", "N", 1...31, "days")
    private static let json = Option.flag("--json", "JSON")
    private static let file = Option.file("--html", "a page")
    private static let kind = Option<Int>.choice("--kind", ["one": 1, "two": 2], "a kind")
    private static let day = Option.day("--on", "a day")
    private static let command = Command(
        name: "test", summary: "a test", part: .shell, operands: .init(form: "[NAME…]", count: 0...2),
        options: [days, json, file, kind, day]
    ) { _ in .success }

    private func read(_ words: String...) throws -> Arguments { try Arguments(words, of: Self.command) }

    @Test("Options and operands may come in any order, values follow a space or `=`, and `--` ends the options")
    func order() throws {
        let arguments = try read("a", "--days=3", "--json", "--html", "-", "b", "--kind", "two", "--on", "2026-11-20")
        #expect(arguments.operands == ["a", "b"])
        #expect(arguments[Self.days] == 3 && arguments[Self.json] && arguments[Self.file] == "-")
        #expect(arguments[Self.kind] == 2 && arguments[Self.day] == ExistDay("2026-11-20"))
        let rest = try read("--", "--json", "-x")
        #expect(rest.operands == ["--json", "-x"] && !rest[Self.json] && rest[Self.days] == nil)
    }

    @Test(
        "A known word is suggested only if it is similar to the typed word or begins with the typed word",
        arguments: [
            ("--abcd", "--xyabcd", true), ("--abcd", "--xyzabcd", false), ("--abcde", "--xyzabcde", true),
            ("--abcde", "--wxyzabcde", false), ("--abcdefgh", "--wxyzabcdefgh", true), ("--AB", "--ab", true),
            ("--abcdefgh", "--vwxyzabcdefgh", false), ("--ab", "--abcde", false), ("--abc", "--abcdefg", true),
            (String(repeating: "x", count: 64), String(repeating: "x", count: 64), true),
            (String(repeating: "x", count: 65), String(repeating: "x", count: 65), false),
        ])
    func near(word: String, known: String, isNear: Bool) {
        #expect((Nearest.find(word, among: ["other", known]) == known) == isNear)
    }
}

@Suite("The table of commands")
struct CommandTableTests {
    @Test("Every default value is one that the option accepts")
    func defaultValues() throws {
        for option in CommandTable.all.flatMap(\.options) {
            if let value = option.defaultValue { _ = try option.parse(value) }
        }
    }

    @Test("Every command and option is listed once with a description, and the help page shows every option")
    func whole() {
        #expect(Set(CommandTable.all.map(\.name)).count == CommandTable.all.count)
        for command in CommandTable.all {
            #expect(!command.summary.isEmpty && !command.summary.hasSuffix(".") && !command.examples.isEmpty)
            #expect(Set(command.options.map(\.name)).count == command.options.count, "\(command.name)")
            #expect(command.options.allSatisfy { $0.name.hasPrefix("--") && !$0.help.isEmpty })
            let help = Help(Terminal(environment: [:])).page(command)
            #expect(command.options.allSatisfy { help.contains("\n  \(Help.head($0))") }, "\(command.name)")
        }
    }

    @Test("The parser accepts a number only within the limits that the help states")
    func limits() throws {
        var found: Set<String> = []
        for option in CommandTable.all.flatMap(\.options) + Settings.limits {
            guard let limits = option.form.meaning.firstMatch(of: /^a number (of seconds )?from (\S+) to (\S+)$/),
                let (least, most) = Double(limits.2).flatMap({ least in Double(limits.3).map { (least, $0) } })
            else { continue }
            found.insert("\(option.name) \(limits.2)…\(limits.3)")
            for number in [least, most] {
                #expect(throws: Never.self) { try option.parse(number.plainText) }
            }
            for number in [least - 0.001, least - 1, most + 1] {
                #expect(throws: UsageError.self, "\(option.name) \(number)") { try option.parse(number.plainText) }
            }
        }
        #expect(throws: Never.self) { try SetCommand.on.parse("2016-01-01..2026-01-07") }
        for days in ["2016-01-01..2026-01-08", "2026-01-01..2026-01-02..2026-01-03", "2026-01-02..2026-01-01"] {
            #expect(throws: UsageError.self) { try SetCommand.on.parse(days) }
        }
        #expect(
            found == [
                "--accounts 1…1000000", "--days 1…3660", "--days 1…36500", "--days 1…36525", "--full-every 0…3660",
                "--in-flight 1…1000", "--latency 0…600000", "--limit 1…1000000000", "--lock-wait 0…86400",
                "--outage-wait 0…86400", "--overlap 0…3660", "--port 0…65535", "--rate 1…1000000",
                "--start-line 1…1000000000", "--timeout 0.001…86400", "--total-rate 1…100000000", "--wait 0…86400",
                "PLEDGE_MAX_ITEMS 1…1000000000", "PLEDGE_MAX_REQUESTS 1…1000000000", "PLEDGE_MAX_SIZE 1…1073741824",
                "PLEDGE_MAX_TIME 0.001…31536000",
            ])
    }

    @Test("The help page of a command shows its usage, options, notes, and examples")
    func page() throws {
        let help = Help(Terminal(environment: ["LC_ALL": "C", "COLUMNS": "90"]))
        let note = Command.Note(
            title: "CODES", text: "0  fine\nAny other  wrong\nThese are\nall.\n{\"a\":1}\n{\"b\":2}\nEnd.")
        var command = try CommandTable.find("logout")
        (command.operands, command.notes) = (.init(form: "[NAME…]", count: .any), [note, note])
        command.options.append(NotificationsCommand.days)
        command.options.append(Option.file("--a-name-of-21-letters", "too long"))
        let notes = """
            CODES
              0          fine
              Any other  wrong
              These are all.
              {"a":1}
              {"b":2}
              End.


            """
        let page = """
            pledge logout: remove a stored account; only the service's website can revoke its token

            USAGE
              pledge logout [NAME...] [options]

            OPTIONS
              --only exist|mydatahelps  remove only the account of this service
              --profile NAME            the stored account to use (default "default")
              --days N                  the number of days, including today (default 30)
              --a-name-of-21-letters FILE
                                        too long

            \(notes)\(notes)EXAMPLES
              pledge logout --profile study
                  remove the profile "study" with its accounts

            """
        #expect(help.page(command) == page)
        #expect(help.overview().contains("\n  notifications  list the notifications"))
    }

    @Test(
        "Help pages fit the terminal's width; only command lines, links, and JSON may be wider",
        arguments: [40, 80, 100])
    func width(width: Int) {
        let help = Help(Terminal(environment: ["LC_ALL": "C", "COLUMNS": "\(width)"]))
        let pages = CommandTable.all.map { help.page($0) }
        for text in pages + [help.overview()] {
            for line in text.split(separator: "\n").map(String.init) where line.count > width {
                let isCopied =
                    line.hasPrefix("  pledge ") || line.contains("https://") || line.contains("{\"")
                    || !line.dropFirst(2).contains(" ")
                #expect(isCopied || line.contains(" pledge "), "\(line)")
            }
            #expect(text.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test("The parser accepts every example on a command's help page", arguments: CommandTable.all.map(\.name))
    func examples(name: String) throws {
        for example in try CommandTable.find(name).examples {
            let line = example.key.components(separatedBy: "pledge ").last ?? ""
            // Splits the line into words like a shell, but knows only the quoting that the examples use.
            let words = line.prefix { !"|>)<;".contains($0) }.matches(of: /(?:"[^"]*"|[^ "])+/)
                .map { String($0.output.replacing("\"", with: "")) }
            let command = try CommandTable.find(words[0])
            #expect(throws: Never.self) { try Arguments(Array(words.dropFirst()), of: command) }
        }
    }
}
