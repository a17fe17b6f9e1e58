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
            ("attributes --plain", 5_181_441_989_284_242_599),
            ("attributes steps sleep_start --days 3", 15_932_082_475_278_849_591),
            ("attributes --group sleep --month 2026-10 --csv", 10_349_783_292_381_241_692),
            ("insights --days 30", 13_092_941_169_469_518_230),
            ("averages sleep mood_note --plain", 15_341_488_453_745_469_272),
            ("correlations --plain", 7_680_074_274_457_258_467),
            ("profile", 4_652_241_612_349_724_612),
            ("profile --mydatahelps", 7_440_055_904_254_206_394),
            ("surveys --all", 6_313_043_400_148_372_051),
            ("surveys --answers --plain", 5_294_616_606_468_331_926),
            ("device-data --plain", 23_715_720_006_008_100),
            ("notifications", 5_021_387_890_969_384_514),
            ("accounts", 8_359_885_192_776_401_155),
            ("report", 15_351_771_595_016_079_143),
            ("report --mydatahelps", 17_303_712_223_657_074_377),
            ("report --days 31 --all", 14_214_670_976_186_211_517),
            ("report --mydatahelps --week 2026-W40", 10_385_625_944_813_109_719),
            ("report --html -", 6_249_331_348_695_095_898),
            ("report --mydatahelps --html -", 7_918_999_359_017_685_136),
            ("report --through 2026-10-04", 13_586_083_194_868_058_349),
            ("report --database DB --mydatahelps", 6_865_951_947_577_573_846), ("status", 14_898_762_896_095_867_039),
            ("correlations mood --json", 16_444_557_133_319_693_117),
            ("device-data Steps --days 2", 13_208_386_447_351_284_214),
            ("report --json", 5_638_099_481_160_947_504),
            ("set mood=3 water=1 --days 2", 9_791_701_980_764_748_007),
            ("increment water=250 coffees=1", 7_150_723_989_817_005_705),
            ("report --database DB", 448_237_258_988_384_316),
            ("report --database DB --month 2026-10 --html -", 10_906_009_214_024_435_374),
            ("export LINES --in-flight 1 --days 3", 8_517_184_012_792_619_853),
            ("sync LINES --in-flight 1 --database DB", 5_859_282_285_985_986_529),
            ("sync DB", 13_478_286_344_523_853_198),
            ("create Porridge Oats", 14_065_787_963_779_480_631),
        ] as [(String, UInt64)])
    func whole(command: String, number: UInt64) async throws {
        let clock = Timekeeper(now: { Self.now }, uptime: { 0 }, schedule: Timekeeper.live.schedule)
        let (files, words) = (["DB": folder.path("a.db"), "LINES": try accounts(1...2)], command.words)
        for words in words.contains("--database") ? ["sync DB".words, words] : [words] {
            let run = try await run(words.map { files[$0] ?? $0 }, clock: clock, zone: Self.zone)
            guard words == command.words else { continue }
            let text = (run.output + run.errors).replacing(HTMLReport.style.source, with: "")
                .replacing(folder.url.path, with: "")
            #expect(checksum(text.utf8) == number, "\(text)")
        }
    }
}
