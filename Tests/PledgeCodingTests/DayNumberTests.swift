import PledgeCoding
import Testing

@Suite("Calendar days")
struct DayNumberTests {
    /// The calendar repeats every 400 years, so the other years need no test.
    @Test(
        "All days of the years 1–399, 1800–2199, and 9900–9999 have consecutive numbers, and can be parsed back",
        arguments: [0..<4, 18..<22, 99..<100].joined())
    func allDays(century: Int) throws {
        let first = max(1, century * 100)
        var number = try #require(DayNumber.of(year: first, month: 1, day: 1))
        var wrong: [String] = []
        for year in first..<(century + 1) * 100 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for day in 1...days {
                    let text = DayNumber.text(number)
                    if DayNumber.of(year: year, month: month + 1, day: day) != number
                        || DayNumber.parts(number) != (year, month + 1, day) || DayNumber.parse(text) != number
                    {
                        wrong.append(text)
                    }
                    number += 1
                }
                if DayNumber.of(year: year, month: month + 1, day: days + 1) != nil { wrong.append("\(days)") }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("The first and the last calendar day have the right numbers, and a text outside their range becomes nil")
    func ends() {
        #expect(DayNumber.text(0) == "1970-01-01")
        #expect(DayNumber.all == -719_162...2_932_896)
        #expect(DayNumber.parse("0001-01-01") == DayNumber.all.first)
        #expect(DayNumber.parse("9999-12-31") == DayNumber.all.last)
        #expect(DayNumber.parse("0000-12-31") == nil)
    }

    @Test(
        "Text that isn't a date becomes nil",
        arguments: [
            "", "2024-02-3", "2024-02-300", "2024-2-003", "2024/02/03", "2O24-02-03", "2024-00-10", "2024-13-01",
            "2024-01-00", "2024-01-32", "+024-01-01", "２024-01-0", "2:24-01-01", "2024-02-30", "2023-02-29",
            "1900-02-29",
        ])
    func none(text: String) { #expect(DayNumber.parse(text) == nil) }
}
