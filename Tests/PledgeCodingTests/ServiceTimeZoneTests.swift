import Foundation
import PledgeCoding
import Testing

@Suite("A service's time zone name", .serialized)
struct ServiceTimeZoneTests {
    @Test(
        "A valid time zone name of a service becomes a time zone",
        arguments: ["Europe/Stockholm", "Etc/UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "UTC"])
    func zones(name: String) {
        #expect(TimeZone(ofService: name) == TimeZone(identifier: name) && TimeZone(ofService: name) != nil)
        #expect(TimeZone.utc.secondsFromGMT() == 0)
    }

    @Test("isAlphanumeric accepts only the letters and digits of ASCII")
    func alphanumeric() {
        let letters = (0...255).filter { isAlphanumeric($0) }.map { Character(Unicode.Scalar($0)) }
        #expect(String(letters) == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    }

    @Test(
        "An invalid time zone name of a service becomes nil",
        arguments: [
            "", "../../etc/passwd", "Europe/Stockholm\u{0}", "Europe/Stockhölm", String(repeating: "a", count: 65),
            "a" + String(repeating: "\u{301}\u{323}", count: 500_000),
        ])
    func others(name: String) { #expect(TimeZone(ofService: name) == nil) }
}
