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
        arguments: ["2022-02-30", "2022-5-13", "20220101", "2022-01-01T00", "2022--11-20", "today", ""])
    func refused(text: String) {
        #expect(ExistDay(text) == nil)
    }

    @Test("The day of the week is right")
    func weekday() throws {
        #expect(try day("2024-03-02").weekday == .saturday)
        #expect(try day("1969-12-28").weekday == .sunday)
        #expect(try day("2000-01-03").weekday == .monday)
        #expect(try day("1900-03-01").weekday == .thursday && day("2100-12-31").weekday == .friday)
    }
}
