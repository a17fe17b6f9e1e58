import ExistKit
import Testing

@testable import PledgeCommand

@Suite("A day of the report", .serialized)
struct DayWordsTests {
    @Test(
        "begins a range, which names month and year only where they change",
        arguments: [
            ("2026-11-14", "2026-11-20", "Sat 14 – Fri 20 November"),
            ("2026-11-28", "2026-12-04", "Sat 28 November – Fri 4 December"),
            ("2026-12-27", "2027-01-02", "Sun 27 December 2026 – Sat 2 January 2027"),
            ("2026-11-20", "2026-11-20", "Fri 20 November"),
        ])
    func ranges(from first: String, to last: String, words: String) throws {
        #expect(try ExistDay.range(from: #require(ExistDay(first)), to: #require(ExistDay(last))) == words)
    }
}
