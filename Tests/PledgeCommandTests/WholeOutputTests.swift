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

    @Test(
        "is the same, to the byte, for the same data: who changes it looks at all of it, and replaces the number",
        arguments: [
            ("attributes --plain", 1_804_903_591), ("attributes steps sleep_start --days 3", 2_632_519_819),
            ("attributes --group sleep --month 2026-10 --csv", 2_668_846_066), ("insights --days 30", 2_277_950_634),
            ("averages sleep mood_note --plain", 1_262_577_496), ("correlations --plain", 2_711_882_211),
            ("profile", 157_636_548), ("profile --mydatahelps", 35_561_914), ("surveys --all", 1_165_478_483),
            ("surveys --answers --plain", 1_651_366_294), ("device-data --plain", 1_519_189_284),
            ("notifications", 2_964_166_210), ("accounts", 1_316_765_955), ("report", 2_984_085_287),
            ("report --mydatahelps", 2_729_057_993), ("report --days 31 --all", 3_064_093_885),
            ("report --mydatahelps --week 2026-W40", 2_057_994_711), ("report --html -", 1_387_207_258),
            ("report --mydatahelps --html -", 3_670_773_904), ("report --through 2026-10-04", 4_278_438_125),
            ("report --database DB --mydatahelps", 1_078_149_590), ("status", 3_197_137_055),
            ("correlations mood --json", 4_095_927_101), ("device-data Steps --days 2", 712_311_286),
            ("report --json", 787_060_528), ("set mood=3 water=1 --days 2", 2_784_540_903),
            ("increment water=250 coffees=1", 602_412_681), ("report --database DB", 2_233_004_092),
            ("report --database DB --month 2026-10 --html -", 4_279_256_750),
            ("export LINES --in-flight 1 --days 3", 455_161_565),
            ("sync LINES --in-flight 1 --database DB", 4_277_073_889), ("sync DB", 4_065_832_334),
            ("create Porridge Oats", 453_671_991),
        ] as [(String, UInt32)])
    func whole(command: String, number: UInt32) async throws {
        let clock = Timekeeper(now: { Self.now }, uptime: { 0 }, schedule: Timekeeper.live.schedule)
        let (files, words) = (["DB": folder.path("a.db"), "LINES": try accounts(1...2)], command.words)
        for words in words.contains("--database") ? ["sync DB".words, words] : [words] {
            let run = try await run(words.map { files[$0] ?? $0 }, clock: clock, zone: Self.zone)
            guard words == command.words else { continue }
            let text = (run.output + run.errors).replacing(HTMLReport.style.source, with: "")
                .replacing(folder.url.path, with: "")
            #expect(UInt32(truncatingIfNeeded: checksum(text.utf8)) == number, "\(text)")
        }
    }
}
