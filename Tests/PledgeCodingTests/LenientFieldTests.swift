import Foundation
import PledgeCoding
import Testing

@Suite("Fields of an unexpected form")
struct LenientFieldTests {
    private struct Fields: Readable {
        var flag: Bool?
        var int: Int?
        var double: Double?
        var text: String?
        var numbers: [Int]

        init(reading source: TapeValue) throws(TapeFailure) {
            var fields = try source.fields()
            flag = fields.flag("on")
            int = fields.int("value")
            double = fields.double("value")
            text = fields.text("value")
            numbers = fields.lenientList("numbers") { (item) throws(TapeFailure) in try item.lenientInt() }
        }
    }

    /// Reads an object with the decoder of this package, and with Foundation's.
    private func read(_ json: String) throws -> [Fields] {
        [
            try TapeDecoder.decode(Fields.self, from: JSONTape(Data(json.utf8))),
            try JSONDecoder().decode(Fields.self, from: Data(json.utf8)),
        ]
    }

    @Test(
        "A service may also send true and false as a number or a word",
        arguments: [
            ("true", true), ("1", true), ("1.0", true), (#""1""#, true), (#""True""#, true), (#""yes""#, true),
            ("false", false), ("0", false), (#""0""#, false), (#""FALSE""#, false), (#""no""#, false), (#""""#, nil),
            ("null", nil),
        ] as [(String, Bool?)])
    func known(_ json: String, _ value: Bool?) throws {
        #expect(try read(#"{"on":\#(json)}"#).map(\.flag) == [value, value])
    }

    @Test(
        "A value that isn't clearly true or false becomes nil, and is noted with its place and the expected type",
        arguments: [
            (#""on""#, "on is not of the expected form"), (#""Y""#, "on is not of the expected form"),
            ("-3", "on is not Bool"), ("2", "on is not Bool"), ("0.5", "on is not Bool"), ("1e99", "on is not Bool"),
            ("[]", "on is not Bool"), ("{}", "on is not Bool"),
        ])
    func unknown(_ json: String, _ reason: String) throws {
        #expect(try read(#"{"on":\#(json)}"#).map(\.flag) == [nil, nil])
        let tape = try JSONTape(Data(#"[{}, {"on":\#(json)}]"#.utf8))
        let list = try TapeDecoder.decode(ItemList<Fields>.self, from: tape)
        #expect(list.items.map(\.flag) == [nil, nil] && list.unreadable.isEmpty)
        #expect(tape.unreadableFields.map(\.description) == ["item 1: \(reason)"])
    }

    @Test("What a small list can't read is left out and noted, whether it is an item or the list itself")
    func smallList() throws {
        let tape = try JSONTape(Data(#"[{"numbers": [1, "x", 3, {}]}, {"numbers": 7}, {"numbers": null}, {}]"#.utf8))
        let list = try TapeDecoder.decode(ItemList<Fields>.self, from: tape)
        #expect(list.items.map(\.numbers) == [[1, 3], [], [], []])
        #expect(
            tape.unreadableFields.map(\.description) == [
                "item 0: numbers[1] is not Int", "item 0: numbers[3] is not Int", "item 1: numbers is not Array<Any>",
            ])
    }

    @Test("No note is made of a missing, null, or empty field; only the first hundred of a thousand notes are kept")
    func notes() throws {
        let tape = try JSONTape(Data(#"[{}, {"on": null}, {"on": ""}, {"on": true}]"#.utf8))
        _ = try TapeDecoder.decode(ItemList<Fields>.self, from: tape)
        #expect(tape.unreadableFields.isEmpty)
        let items = Array(repeating: #"{"on": 7}"#, count: 1000).joined(separator: ",")
        let long = try JSONTape(Data("[\(items)]".utf8))
        _ = try TapeDecoder.decode(ItemList<Fields>.self, from: long)
        #expect(long.unreadableFields.map(\.index) == Array(0..<100))
    }

    @Test("In a plain array of models, too, only the first hundred notes are kept")
    func notesOfPlainArray() throws {
        let items = Array(repeating: #"{"on": 7}"#, count: 1000).joined(separator: ",")
        let tape = try JSONTape(Data("[\(items)]".utf8))
        #expect(try TapeDecoder.decode([Fields].self, from: tape).count == 1000)
        #expect(tape.unreadableFields.map(\.index) == Array(0..<100))
    }

    @Test("A note about a field outside any list has no position")
    func noteOutsideList() throws {
        let tape = try JSONTape(Data(#"{"on": 7}"#.utf8))
        _ = try TapeDecoder.decode(Fields.self, from: tape)
        #expect(tape.unreadableFields.map(\.description) == ["on is not Bool"])
    }

    private static let values: [(json: String, int: Int?, double: Double?, text: String?)] = [
        (#""12""#, 12, 12, "12"), (#""-3""#, -3, -3, "-3"), (#""7.50""#, nil, 7.5, "7.50"), ("12", 12, 12, "12"),
        (#""1e3""#, nil, 1000, "1e3"), ("7.50", nil, 7.5, "7.50"), ("1e400", nil, nil, "1e400"),
        ("12345678901234567890", nil, 12_345_678_901_234_567_168, "12345678901234567890"),
    ]
    private static let words = ["", " 7", "0x10", "inf", "nan", "1e400", "1_000", "seven", "７"]
        .map { ("\"\($0)\"", Int?.none, Double?.none, String?.some($0)) }
    private static let others = ["true", "[]", "{}", "null"].map { ($0, Int?.none, Double?.none, String?.none) }

    @Test(
        "Digits in a text can be read as a number, and a number as a text; other values can be read as neither",
        arguments: values + words + others)
    func digits(_ json: String, _ int: Int?, _ double: Double?, _ text: String?) throws {
        let found = try TapeDecoder.decode(Fields.self, from: JSONTape(Data(#"{"value":\#(json)}"#.utf8)))
        #expect(found.int == int && found.double == double && found.text == text)
    }
}
