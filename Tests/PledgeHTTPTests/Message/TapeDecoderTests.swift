import Foundation
import Testing

@testable import PledgeHTTP

/// Our decoder against Foundation's: the same values, and errors of the same kind at the same place.
@Suite("Reading JSON")
struct TapeDecoderTests {
    struct Everything: Codable, Equatable {
        struct Inner: Codable, Equatable {
            var name: String
            var list: [Double?]
        }

        var int: Int?
        var small: Int8?
        var big: UInt64?
        var double: Double?
        var float: Float?
        var flag: Bool?
        var text: String?
        var url: URL?
        var data: Data?
        var decimal: Decimal?
        var date: Date?
        var map: [String: [Int]]?
        var inner: Inner?
        var inners: [Inner]?
    }

    /// Nil for what our parser leaves to Foundation.
    private func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value? {
        guard let tape = try? JSONTape(Data(text.utf8)) else { return nil }
        return try TapeDecoder(tape: tape, index: 0).value(type)
    }

    private func kind(_ error: any Error) -> String {
        func path(_ context: DecodingError.Context) -> String {
            context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
        }
        return switch error as? DecodingError {
        case .typeMismatch(_, let context): "mismatch at \(path(context))"
        case .valueNotFound(_, let context): "null at \(path(context))"
        case .keyNotFound(let key, let context): "no \(key.stringValue) at \(path(context))"
        case .dataCorrupted(let context): "corrupted at \(path(context))"
        default: "\(error)"
        }
    }

    @Test(
        "What Foundation reads, it reads as the same",
        arguments: [
            "{}", " {\n\"int\" : 1 ,\t\"text\":\"a\"}\r\n", #"{"int": -0, "small": -128, "big": 18446744073709551615}"#,
            #"{"int": 4174.0, "small": 1e2, "double": 3}"#, #"{"double": 0.1, "float": 0.1}"#,
            #"{"double": -67.06316259600748}"#, #"{"double": 123456789012345678901234567890}"#,
            #"{"double": 1.7976931348623157e308}"#, #"{"double": 5e-324, "float": 1.5}"#,
            #"{"double": 0.30000000000000004}"#, #"{"double": 9007199254740993}"#, #"{"double": 8.41e21}"#,
            #"{"int": null, "text": null, "flag": false, "inner": null}"#,
            #"{"text": "\"\\\/\b\f\n\r\tAå\u00e5\ud83c\udf88 🎈"}"#, #"{"t\u0065xt": "by an escaped name"}"#,
            #"{"url": "https://exist.io/a?b=c", "data": "AQID", "decimal": 1.10, "date": 4.5}"#,
            #"{"map": {"a": [1, 2], "": [], "å": [3]}}"#,
            #"{"inner": {"list": [1, null, 2.5], "name": "x"}, "inners": [{"name": "", "list": []}]}"#,
            #"{"unknown": {"deep": [[[{"a": [1, {"b": 2}]}]]]}, "int": 7}"#, #"{"text": ""}"#,
        ])
    func same(text: String) throws {
        let expected = try JSONDecoder().decode(Everything.self, from: Data(text.utf8))

        #expect(try read(Everything.self, text) == expected)
    }

    @Test(
        "What Foundation refuses, it refuses for the same reason at the same place",
        arguments: [
            #"{"int": "1"}"#, #"{"flag": 1}"#, #"{"text": 1}"#, #"{"map": []}"#, #"{"map": {"a": [1, "b"]}}"#,
            #"{"inner": {"list": []}}"#, #"{"inner": {"name": null, "list": []}}"#,
            #"{"inners": [{"name": "", "list": []}, {"name": "", "list": [1, true]}]}"#, #"{"inners": [null]}"#,
            #"{"url": 1}"#, #"{"data": "?"}"#, "[]", "null", "1", #""text""#,
        ])
    func refuses(text: String) {
        let expected = #expect(throws: (any Error).self) {
            try JSONDecoder().decode(Everything.self, from: Data(text.utf8))
        }
        let actual = #expect(throws: (any Error).self) { try read(Everything.self, text) }

        #expect(actual.map(kind) == expected.map(kind))
    }

    @Test(
        "A number that does not fit is refused as Foundation does, but at its place, which Foundation does not tell",
        arguments: [
            (#"{"int": 1.5}"#, "int"), (#"{"int": 9223372036854775808}"#, "int"), (#"{"small": 128}"#, "small"),
            (#"{"big": -1}"#, "big"), (#"{"inners": [{"name": "", "list": [1e999]}]}"#, "inners.0.list.0"),
        ])
    func misfits(text: String, place: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Everything.self, from: Data(text.utf8)) }
        let error = #expect(throws: DecodingError.self) { try read(Everything.self, text) }

        #expect(error.map(kind) == "corrupted at \(place)")
    }

    @Test(
        "What is no JSON, or is too deep, is left to Foundation, which says so",
        arguments: [
            "", " ", "{", "}", "[1,]", "[1 2]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{1:1}", "tru", "nul", "01", "-",
            "1.", ".5", "1e", "+1", "\"a", "\"\u{1}\"", "[1]x", "[1][2]", "{\"a\":1]", "[1}", "NaN",
            String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
        ])
    func noJSON(text: String) {
        #expect(throws: JSONTape.Unfit.self) { try JSONTape(Data(text.utf8)) }
    }

    @Test("Bytes that are no text are refused, wherever they stand")
    func badBytes() {
        for bad in [[0xC3], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]] {
            #expect(throws: JSONTape.Unfit.self) { try JSONTape(Data("[\"a".utf8) + Data(bad) + Data("\"]".utf8)) }
        }
        #expect(throws: (any Error).self) { try read([String].self, #"["\ud800"]"#) }
        #expect(throws: (any Error).self) { try read([String].self, #"["\x"]"#) }
    }

    @Test("A list goes on after an item that could not be read, and knows where it is")
    func lists() throws {
        struct Numbers: Decodable {
            var read: [Int] = []
            var skipped: [Int] = []

            init(from decoder: any Decoder) throws {
                var items = try decoder.unkeyedContainer()
                while !items.isAtEnd {
                    let index = items.currentIndex
                    let item = try items.superDecoder()
                    if let number = try? item.singleValueContainer().decode(Int.self) {
                        read.append(number)
                    } else {
                        skipped.append(index)
                    }
                }
            }
        }
        let numbers = try #require(try read(Numbers.self, #"[1, {"a": [2]}, [3], 4, "5", null, 6]"#))

        #expect(numbers.read == [1, 4, 6] && numbers.skipped == [1, 2, 4, 5])
    }

    @Test("Numbers made at random are read as Foundation reads them, to the last bit")
    func numbers() throws {
        var state: UInt64 = 8
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11
        }
        let texts = (0..<2_000).map { _ in
            let number =
                Double(Int64(next() % 2_000_000_001) - 1_000_000_000) / [1, 10, 1e3, 1e7, 1e12][Int(next() % 5)]
            return "\(number)"
        }
        let text = "[\(texts.joined(separator: ","))]"

        #expect(try read([Double].self, text) == JSONDecoder().decode([Double].self, from: Data(text.utf8)))
    }
}
