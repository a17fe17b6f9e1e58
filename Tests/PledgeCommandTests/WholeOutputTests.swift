import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("What a command prints", .serialized)
final class WholeOutputTests: ToolSuite {
    private static let now = Date(timeIntervalSince1970: 1_793_900_000)
    private static let zone = TimeZone(secondsFromGMT: -12_600) ?? .current

    init() throws { try super.init(now: { Self.now }, zone: Self.zone) }

    /// The commands whose whole output is compared with a file in `Outputs`.
    private static let commands = [
        "attributes --plain",
        "attributes steps sleep_start --days 3",
        "attributes --group sleep --month 2026-10 --csv",
        "insights --days 30",
        "averages sleep mood_note --plain",
        "correlations --plain",
        "profile",
        "profile --mydatahelps",
        "surveys --all",
        "surveys --answers --plain",
        "device-data --plain",
        "notifications",
        "accounts",
        "report",
        "report --mydatahelps",
        "report --days 31 --all",
        "report --mydatahelps --week 2026-W40",
        "report --html -",
        "report --mydatahelps --html -",
        "report --through 2026-10-04",
        "report --database DB --mydatahelps",
        "status",
        "correlations mood --json",
        "device-data Steps --days 2",
        "report --json",
        "set mood=3 water=1 --days 2",
        "increment water=250 coffees=1",
        "report --database DB",
        "report --database DB --month 2026-10 --html -",
        "export LINES --in-flight 1 --days 3",
        "sync LINES --in-flight 1 --database DB",
        "sync DB",
        "create Porridge Oats",
    ]

    @Test(
        "With the same data, each command prints exactly the text that the folder `Outputs` has for it",
        arguments: commands)
    func whole(command: String) async throws {
        let clock = Timekeeper(now: { Self.now }, uptime: { 0 }, schedule: Timekeeper.live.schedule)
        let files = ["DB": folder.path("a.db"), "LINES": try accounts(1...2)]
        if command.words.contains("--database") {
            _ = try await run(["sync", folder.path("a.db")], clock: clock, zone: Self.zone)
        }
        let run = try await run(command.words.map { files[$0] ?? $0 }, clock: clock, zone: Self.zone)
        let text = (run.output + run.errors).replacing(HTMLReport.style.source, with: "")
            .replacing(folder.url.path, with: "")
        try Outputs.expect(text, in: command.replacing("--", with: ""))
    }

    @Test("The folder `Outputs` has no file for a command that no longer exists")
    func files() {
        let files = Repository.paths(below: "Tests/PledgeCommandTests/Outputs", ending: ".txt")
        let names =
            Self.commands.map { $0.replacing("--", with: "") } + TextReportTests.outputs + LongReportTests.outputs
        #expect(Set(files) == Set(names.map { "\($0).txt" }))
    }
}
