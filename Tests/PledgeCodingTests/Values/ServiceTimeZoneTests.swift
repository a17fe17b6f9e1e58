import Foundation
import PledgeCoding
import Testing

@Suite("A time zone by its name", .serialized)
struct ServiceTimeZoneTests {
    @Test("is found", arguments: ["Europe/Stockholm", "Etc/UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "UTC"])
    func zones(name: String) {
        #expect(TimeZone(ofService: name) == TimeZone(identifier: name) && TimeZone(ofService: name) != nil)
    }

    @Test(
        "is none where it is not of that form",
        arguments: [
            "", "../../etc/passwd", "Europe/Stockholm\u{0}", "Europe/Stockhölm", String(repeating: "a", count: 65),
            "a" + String(repeating: "\u{301}\u{323}", count: 500_000),
        ])
    func others(name: String) {
        #expect(TimeZone(ofService: name) == nil)
    }
}
