import Foundation
import Testing

@testable import PledgeSandbox

@Suite("Calendar days of the sandbox", .serialized)
struct CalendarDayTests {
    @Test("Days around 1900, 1970, 2000, and 2100 are parsed as they were printed, and follow one another")
    func roundTrip() throws {
        for (year, leapYears) in [(1896, 1), (1966, 2), (1996, 2), (2096, 1)] {
            var day = try #require(CalendarDay("\(year)-01-01"))
            var mistakes = 0
            for _ in 0..<8 * 365 + leapYears {
                let next = day + 1
                if CalendarDay(next.text) != next || next.text <= day.text { mistakes += 1 }
                day = next
            }
            #expect(mistakes == 0 && day.text == "\(year + 8)-01-01")
        }
        #expect(CalendarDay("1969-12-31")?.weekdayName == "Wednesday")
    }

    @Test(
        "Text that isn't a date in the form 2024-03-02 is not parsed as a day",
        arguments: [
            "", "2024-2-3", "2024-13-01", "2023-02-29", "2024-02-30", "24-01-01", "2024-01-01T00:00", "2024_01_01",
            "+024-01-01", "２０２４-01-01",
        ])
    func malformed(text: String) { #expect(CalendarDay(text) == nil) }

    @Test("A day begins and ends in the user's time zone, not in UTC")
    func zones() throws {
        let instant = Date(timeIntervalSince1970: 1_709_251_199)
        for (hours, text) in [(0, "2024-02-29"), (14, "2024-03-01"), (-11, "2024-02-29"), (1, "2024-03-01")] {
            let zone = try #require(TimeZone(secondsFromGMT: hours * 3_600))
            #expect(CalendarDay(instant, in: zone).text == text)
        }
    }

    @Test("A timestamp is written as by the service, with the UTC offset that applies on its day")
    func timestamps() throws {
        let west = try #require(TimeZone(secondsFromGMT: -34_200))
        let clock = ExistClock(now: { Date(timeIntervalSince1970: 0.25) }, timeZone: west)
        #expect(clock.timestamp(clock.now(), digits: 6) == "1969-12-31T14:30:00.250000-09:30")
        let sweden = try #require(TimeZone(identifier: "Europe/Stockholm"))
        for (text, zone, offset) in [
            ("2024-02-29", west, "-09:30"), ("2024-03-30", sweden, "+01:00"), ("2024-03-31", sweden, "+02:00"),
            ("2024-10-27", sweden, "+01:00"),
        ] {
            let (day, clock) = (try #require(CalendarDay(text)), ExistClock(now: { SandboxSuite.noon }, timeZone: zone))
            #expect(clock.timestamp(clock.instant(day, secondOfDay: 18_061), digits: 0) == "\(text)T05:01:01\(offset)")
        }
    }
}
