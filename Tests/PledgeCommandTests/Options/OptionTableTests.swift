import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("What every option of every command does, for every kind of input")
struct OptionTableTests {
    private struct Cell {
        var command: Command
        var situation: Situation
        var option: any AnyOption
        var row: Int

        var verdict: Verdict { OptionTable.rows[row].verdict }
        var name: String { "\(command.name) \(option.name), \(situation.name)" }
    }

    /// Calls a closure for each option of each command in each situation. Records an issue if an option has no row.
    private func forEachCell(of name: String? = nil, _ body: (Cell) async throws -> Void) async throws {
        for command in CommandTable.all where name ?? command.name == command.name {
            for situation in OptionTable.situations(of: command.name) {
                for option in command.options {
                    guard let row = OptionTable.row(on: option.name, of: command.name, situation.name) else {
                        Issue.record("\(command.name) \(option.name), \(situation.name): there is no row")
                        continue
                    }
                    try await body(Cell(command: command, situation: situation, option: option, row: row))
                }
            }
        }
    }

    @Test("Every option has a row in the table, every row belongs to an option, and the tests that rows name exist")
    func whole() async throws {
        var used: Set<String> = []
        try await forEachCell { cell in
            used.insert(cell.option.name)
            switch cell.verdict {
            case .shown(let test):
                #expect(Repository.hasTest(test), "\(cell.name): there is no test \(test)")
            case .selects: #expect(cell.situation.words.contains(cell.option.name), "\(cell.name)")
            case .effect(let words, _, _), .refused(let words):
                #expect(words.first?.hasPrefix(cell.option.name) == true, "\(cell.name)")
            }
        }
        #expect(Set(OptionTable.rows.map(\.option)) == used)
    }

    @Test("--timeout also applies to the demo's clients")
    func demo() throws {
        let access = try Access(Arguments(["--timeout", "7"], of: ReportCommand.command))
        var timeouts: [TimeInterval] = []
        _ = try access.exist(access.demo(.exist)) { timeouts.append($0.timeout) }
        _ = try access.participant(access.demo(.mydatahelps)) { timeouts.append($0.timeout) }
        #expect(timeouts == [7, 7])
    }

    @Test("Every option has the effect that the table claims, or is refused", arguments: CommandTable.all.map(\.name))
    func cells(command: String) async throws {
        let services = try OptionRun.Services()
        var bases: [String: OptionRun.Outcome] = [:]
        var tried: Set<Int> = []
        try await forEachCell(of: command) { cell in
            // If a row fits several situations, only the first of these situations is tried. Long rounds, which run
            // before a release, try all of them.
            guard tried.insert(cell.row).inserted || Rounds.isLong else { return }
            func of(_ options: [any AnyOption]) -> Bool { options.contains { $0.name == cell.option.name } }
            func base(_ with: [String], _ prepare: Preparation) async throws -> OptionRun.Outcome {
                let key = "\(cell.situation.name) \(with) \(prepare)"
                if let known = bases[key] { return known }
                let outcome = try await OptionRun(cell.situation, with, prepare, of: services).run()
                bases[key] = outcome
                return outcome
            }
            // Some options are tried only in the first situation of a command. The options for the form of the output
            // are such options, because they don't depend on where the data comes from. The options for the account
            // work in the same way in all commands that read, so only the first of these commands tries them in all
            // situations.
            let isShared = OptionTable.reading.dropFirst().contains(command) && of(Access.options)
            if cell.situation.name != OptionTable.situations(of: command)[0].name, of(Listing.options) || isShared {
                return
            }
            if cell.situation.name == "browser", Executable.path("curl") == nil { return }
            switch cell.verdict {
            case .shown, .selects: break
            case .effect(let words, let with, let prepare):
                let outcome = try await OptionRun(cell.situation, with + words, prepare, of: services).run()
                let usual = try await base(with, prepare)
                #expect(outcome != usual, "\(cell.name): no effect\n\(outcome)")
                #expect(!outcome.refuses(cell.option.name), "\(cell.name): is refused\n\(outcome)")
            case .refused(let words):
                let outcome = try await OptionRun(cell.situation, words, of: services).run()
                #expect(outcome.refuses(cell.option.name), "\(cell.name): is not refused\n\(outcome)")
            }
        }
    }
}
