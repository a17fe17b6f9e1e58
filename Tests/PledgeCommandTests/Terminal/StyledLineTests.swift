import Testing

@testable import PledgeCommand

@Suite("A styled line", .serialized)
struct StyledLineTests {
    private func line(_ pieces: (String, StyledLine.Style)...) -> StyledLine {
        pieces.reduce(into: StyledLine()) { $0.append($1.0, as: $1.1) }
    }

    @Test("is plain text without colors")
    func plain() {
        let line = line(("Mood", .heading), ("  ", .plain), ("7", .faint), ("   ", .plain))
        #expect(line.rendered(color: false) == "Mood  7")
    }

    @Test("closes every style it opens")
    func colored() {
        let line = line(("Mood", .heading), (" 7", .plain))
        #expect(line.rendered(color: true) == "\u{1B}[1mMood\u{1B}[0m 7")
    }

    @Test("removes escape sequences from the text itself")
    func injection() {
        let line = line(("\u{1B}[2Jgone", .plain))
        #expect(line.rendered(color: true) == "[2Jgone")
    }
}
