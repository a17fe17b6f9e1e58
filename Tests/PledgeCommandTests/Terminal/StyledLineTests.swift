import Testing

@testable import PledgeCommand

@Suite("A styled line", .serialized)
struct StyledLineTests {
    @Test(
        "closes every style it opens, and is plain text without colors and without a text's own escape sequences",
        arguments: [
            ([("Mood", .heading), ("  ", .plain), ("7", .faint), ("   ", .plain)], "Mood  7", nil),
            ([("Mood", .heading), (" 7", .plain)], "Mood 7", "\u{1B}[1mMood\u{1B}[0m 7"),
            ([("\u{1B}[2Jgone", .plain)], "[2Jgone", "[2Jgone"),
        ] as [([(String, StyledLine.Style)], String, String?)])
    func rendered(pieces: [(String, StyledLine.Style)], plain: String, colored: String?) {
        let line = pieces.reduce(into: StyledLine()) { $0.append($1.0, as: $1.1) }
        #expect(line.rendered(color: false) == plain)
        if let colored { #expect(line.rendered(color: true) == colored) }
    }
}
