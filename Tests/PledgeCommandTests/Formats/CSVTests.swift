import Testing

@testable import PledgeCommand

@Suite("Fields of a table", .serialized)
struct CSVTests {
    private static let formulas = [
        "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠a", "=", "-", "- milk",
        "\u{FEFF}=1", "\u{0}=1", "\u{202E}=1", "\u{200B}@a", "'=1", "''-1", "'\u{FEFF}=1",
    ]
    private static let others = [
        "", "plain", "a=b", "1-2", "5", "'", "''", "'tis", "rock 'n' roll", " =1", "?", "Ö", "🙂", "\"=1\"",
    ]

    @Test(
        "Text that a spreadsheet would run as a formula gets an apostrophe, which reading removes; other text is unchanged",
        arguments: formulas + others)
    func text(text: String) {
        let field = CSV.field(ofText: text)
        #expect(field == (Self.formulas.contains(text) ? "'" : "") + text)
        #expect(CSVText.text(ofField: field) == text)
    }

    private static let numbers = ["-4", "+3", "0", "-0.5", "1e-07", "-1.5E+10", "72"]
    private static let noNumbers = [
        "-4+1", "-4 ", "--4", "-", "-.5", "-4.", "1e", "-1e5|x", "-inf", "1e999", "-0x10", "+46 70 555", "-４", "=4",
    ]

    @Test(
        "A number that a service sends as text is read as one; what only begins so, or is no finite one, is text",
        arguments: numbers + noNumbers)
    func number(digits: String) {
        #expect(Double(decimal: digits) == (Self.numbers.contains(digits) ? Double(digits) : nil))
    }
}
