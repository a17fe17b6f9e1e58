import Testing

@testable import PledgeCommand

@Suite("Fields of a table", .serialized)
struct CSVTests {
    @Test(
        "Text that a spreadsheet would run as a formula gets an apostrophe, which reading removes; other text is unchanged",
        arguments: [
            "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠a", "=", "-", "- milk",
            "\u{FEFF}=1", "\u{0}=1", "\u{202E}=1", "\u{200B}@a", "'=1", "''-1", "'\u{FEFF}=1",
        ].map { ($0, "'" + $0) }
            + ["", "plain", "a=b", "1-2", "5", "'", "''", "'tis", "rock 'n' roll", " =1", "?", "Ö", "🙂", "\"=1\""]
            .map { ($0, $0) })
    func formulas(text: String, field: String) {
        #expect(CSV.field(ofText: text) == field)
        #expect(CSVText.text(ofField: field) == text)
    }

    @Test(
        "A number that a service sends as text is read as one; what only begins so, or is no finite one, is text",
        arguments: ["-4", "+3", "0", "-0.5", "1e-07", "-1.5E+10", "72"].map { ($0, true) }
            + [
                "-4+1", "-4 ", "--4", "-", "-.5", "-4.", "1e", "-1e5|x", "-inf", "1e999", "-0x10", "+46 70 555", "-４",
                "=4",
            ].map { ($0, false) })
    func numbers(digits: String, isNumber: Bool) {
        #expect(Double(decimal: digits) == (isNumber ? Double(digits) : nil))
    }
}
