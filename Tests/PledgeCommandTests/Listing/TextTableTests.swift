import Testing

@testable import PledgeCommand

@Suite("Tables in a terminal")
struct TextTableTests {
    private let listing = Listing(
        columns: [.init("name", "Name"), .init("value", "Value"), .init("id", nil), .init("note", "Note")],
        rows: [
            [.text("Steps"), .number(6_031), .text("1"), .nothing],
            [.text("Weight of the day"), .number(7.5), .text("2"), .nothing],
        ])

    private func lines(width: Int, isLinear: Bool = false) -> [Substring] {
        TextTable(listing: listing, width: width, zone: .utc, isLinear: isLinear).rendered().split(
            separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("A table has a column for each heading that has values, aligns numbers on the right, and wraps long text")
    func columns() {
        #expect(
            lines(width: 80) == [
                "Name               Value", "Steps              6,031", "Weight of the day    7.5", "",
            ])
        #expect(lines(width: 17) == ["Name        Value", "Steps       6,031", "Weight of     7.5", "the day", ""])
    }

    @Test("If columns don't fit or aren't wanted, each value is on its own line, with a blank line between rows")
    func stacked() {
        let stacked = ["Name: Steps", "Value: 6,031", "", "Name: Weight of the day", "Value: 7.5", ""]
        #expect(lines(width: 80, isLinear: true) == stacked.map { Substring($0) })
        #expect(
            lines(width: 11) == [
                "Name: Steps", "Value:", "6,031", "", "Name:", "Weight of", "the day", "Value: 7.5", "",
            ])
    }
}
