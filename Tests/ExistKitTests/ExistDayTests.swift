import ExistKit
import Foundation
import Testing

@Suite("Calendar days", .serialized)
struct ExistDayTests {
    @Test(
        "A day is parsed and printed as year, month, and day",
        arguments: ["2024-02-29", "2024-12-31", "1999-01-01", "0001-01-01", "9999-12-31"])
    func roundTrip(text: String) throws {
        #expect(try day(text).description == text)
        let decoded: [ExistDay] = try decode("[\"\(text)\"]")
        #expect(String(decoding: try JSONEncoder().encode(decoded), as: UTF8.self) == "[\"\(text)\"]")
    }

    @Test(
        "Text that is not a valid day is rejected",
        arguments: [
            "2022-02-30", "2022-5-13", "2023-02-29", "2022-13-01", "20220101", "2022-01-01T00", "２０２２-01-01", "",
        ])
    func refused(text: String) {
        #expect(ExistDay(text) == nil)
    }

    @Test(
        "Every day of four centuries follows the one before, and agrees with Foundation's calendar at each month's end")
    func arithmetic() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var current = try day("1900-01-01")
        for _ in 0..<146_097 {
            let next = current.advanced(by: 1)
            #expect(current.distance(to: next) == 1 && next > current)
            if next.day == 1 {
                let parts = calendar.dateComponents([.year, .month, .day], from: current.date(in: .gmt))
                #expect(parts == DateComponents(year: current.year, month: current.month, day: current.day))
            } else {
                #expect(next.day == current.day + 1 && next.month == current.month)
            }
            current = next
        }
        #expect(current.description == "2300-01-01")
    }

    @Test("A moment belongs to different days in different places")
    func zones() throws {
        let moment = Date(timeIntervalSince1970: 1_735_646_400)  // 2024-12-31 12:00 UTC
        let kiritimati = try #require(TimeZone(identifier: "Pacific/Kiritimati"))
        let niue = try #require(TimeZone(identifier: "Pacific/Niue"))

        #expect(ExistDay(moment, in: kiritimati).description == "2025-01-01")
        #expect(ExistDay(moment, in: niue).description == "2024-12-31")
        #expect(ExistDay(Date(timeIntervalSince1970: -1), in: .gmt).description == "1969-12-31")
    }

    @Test("A day begins at its first moment in the time zone, even where clocks skip midnight")
    func startOfDay() throws {
        // In Santiago, 8 September 2024 began at one o'clock.
        let santiago = try #require(TimeZone(identifier: "America/Santiago"))
        let start = try day("2024-09-08").date(in: santiago)

        #expect(ExistDay(start, in: santiago).description == "2024-09-08")
        #expect(ExistDay(start.addingTimeInterval(-1), in: santiago).description == "2024-09-07")
    }

    @Test("The day of the week is right")
    func weekday() throws {
        #expect(try day("2024-03-02").weekday == .saturday)
        #expect(try day("1969-12-28").weekday == .sunday)
        #expect(try day("2000-01-03").weekday == .monday)
    }
}
