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
        #expect(line.rendered(width: 80, color: false) == "Mood  7")
    }

    @Test("closes every style it opens")
    func colored() {
        let line = line(("Mood", .heading), (" 7", .plain))
        #expect(line.rendered(width: 80, color: true) == "\u{1B}[1mMood\u{1B}[0m 7")
    }

    @Test("removes escape sequences from the text itself")
    func injection() {
        let line = line(("\u{1B}[2Jgone", .plain))
        #expect(line.rendered(width: 80, color: true) == "[2Jgone")
    }

    @Test("is truncated at its width, with one ellipsis across all pieces")
    func truncation() {
        let line = line(("読書", .heading), ("した時間", .plain), ("more", .plain))
        #expect(line.rendered(width: 8, color: false) == "読書し…")
    }
}
