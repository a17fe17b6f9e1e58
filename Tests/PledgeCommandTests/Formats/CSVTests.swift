import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("CSV fields", .serialized)
struct CSVTests {
    private static let formulas = [
        "=1+1", "+1", "-1", "@SUM(A1)", "\t1", "\r1", "\n1", "＝1", "＋1", "－1", "＠a", "=", "-", "- milk",
        "\u{FEFF}=1", "\u{0}=1", "\u{202E}=1", "\u{200B}@a", "'=1", "''-1", "'\u{FEFF}=1",
    ]
    private static let others = [
        "", "plain", "a=b", "1-2", "5", "'", "''", "'tis", "rock 'n' roll", " =1", "?", "Ö", "🙂", "\"=1\"",
    ]

    @Test(
        "Only text that a spreadsheet would run as a formula gets an apostrophe; reading the field removes the apostrophe",
        arguments: formulas + others)
    func text(text: String) {
        let field = CSV.field(ofText: text)
        #expect(field == (Self.formulas.contains(text) ? "'" : "") + text)
        #expect(CSVText.text(ofField: field) == text)
    }

    @Test(
        "If text after a separator or a line break looks like a formula, it gets an apostrophe at that position",
        arguments: [
            ("a;=1", "a;'=1"), ("a; =1", "a; =1"), ("a;b", "a;b"), ("a,=1", "a,=1"), ("a\n-1\r\n@b", "a\n'-1\r\n'@b"),
            ("a\t+1;+2", "a\t'+1;'+2"), ("\t=1", "'\t'=1"), ("a;\"=1\"", "a;'\"=1\""), ("a;'=1", "a;''=1"),
            ("a;\u{200B}＝1", "a;'\u{200B}＝1"), ("a;\n;b", "a;\n;b"), ("=1;=2", "'=1;'=2"), ("a;", "a;"),
        ])
    func separators(text: String, field: String) {
        #expect(CSV.field(ofText: text) == field && CSV.text(ofField: field) == text)
        #expect(CSVText.text(ofField: field) == text)
    }

    @Test("Random text is unchanged after it is written to a field and read back")
    func anyText() {
        let scalars = "=-'\";\t\n\ra\u{200B}".unicodeScalars
        Fuzzing.run(cases: 2_000, "CSV") { seed, random in
            let length = Int.random(in: 0...8, using: &random)
            let text = String(
                String.UnicodeScalarView((0..<length).compactMap { _ in scalars.randomElement(using: &random) }))
            let field = CSV.field(ofText: text)
            #expect(CSV.text(ofField: field) == text, "seed \(seed)")
            #expect(CSVText.text(ofField: field) == text, "seed \(seed)")
        }
    }

    private static let numbers = ["-4", "+3", "0", "-0.5", "1e-07", "-1.5E+10", "72"]
    private static let noNumbers = [
        "-4+1", "-4 ", "--4", "-", "-.5", "-4.", "1e", "-1e5|x", "-inf", "1e999", "-0x10", "+46 70 555", "-４", "=4",
    ]

    @Test(
        "Text is read as a number only if all of it is a finite decimal number",
        arguments: numbers + noNumbers)
    func number(digits: String) {
        #expect(Double(decimal: digits) == (Self.numbers.contains(digits) ? Double(digits) : nil))
    }
}
