import Foundation
import PledgeCoding
import PledgeTestSupport
import Testing

@Suite("Limits of JSON")
struct JSONLimitTests {
    private func read<Value: Decodable>(_ type: Value.Type, _ body: some Sequence<UInt8>) throws -> Value {
        try TapeDecoder.decode(type, from: JSONTape(Data(body)))
    }

    @Test(
        "Text that is almost JSON is rejected",
        arguments: [
            "[1,]", #"{"a": 1,}"#, "[1 2]", "[01]", "[-01]", "[.5]", "[1.]", "[1.e5]", "[+1]", "[0x10]", "[1e]",
            "[nul]", "[NaN]", "['a']", #"["\x"]"#, #"["\u12"]"#, "[\"\n\"]", "[\"\u{1F}\"]", "[\"\\n\u{1F}\"]",
            #"["\uD83"]"#, #"["\uD83E\u"]"#, #"["\uD83E\uDE"]"#, #"["\u"]"#, #"["\uD83G"]"#, "[1] 2", #"{a: 1}"#, "[",
            "]", "\"", "[1]\u{0}", "tru", "-", #"{"a"}"#, #"["a": 1]"#,
        ])
    func notJSON(text: String) { #expect(throws: JSONTape.Problem.notJSON) { try read(JSONValue.self, text.utf8) } }

    @Test(
        "A byte order mark is skipped only at the beginning",
        arguments: [
            ("\u{FEFF}1", true), ("\u{FEFF}\u{FEFF}1", false), (" \u{FEFF}1", false), ("1\u{FEFF}", false),
        ])
    func mark(json: String, isRead: Bool) { #expect((try? read(Int.self, json.utf8)) == (isRead ? 1 : nil)) }

    /// The bytes of the first and last characters of each length, and bytes just outside these ranges.
    @Test(
        "The first and last UTF-8 characters of each length are read, and the bytes just beyond them are rejected",
        arguments: [
            ([0x7F], true), ([0x80], false), ([0xC0, 0x80], false), ([0xC1, 0xBF], false), ([0xC2, 0x80], true),
            ([0xC2, 0x7F], false), ([0xC2, 0xC0], false), ([0xDF, 0xBF], true), ([0xE0, 0x9F, 0xBF], false),
            ([0xE0, 0xA0, 0x80], true), ([0xE2, 0x82], false), ([0xED, 0x9F, 0xBF], true),
            ([0xED, 0xA0, 0x80], false), ([0xEE, 0x80, 0x80], true), ([0xEF, 0xBF, 0xBF], true),
            ([0xEF, 0xBF, 0xC0], false), ([0xF0, 0x8F, 0xBF, 0xBF], false), ([0xF0, 0x90, 0x80, 0x80], true),
            ([0xF4, 0x8F, 0xBF, 0xBF], true), ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5, 0x80, 0x80, 0x80], false),
            ([0xFF], false),
        ] as [([UInt8], Bool)])
    func encoding(bytes: [UInt8], isRead: Bool) {
        for prefix in ["", #"\n"#] {
            let body = Array("[\"\(prefix)".utf8) + bytes + Array("\"]".utf8)
            let whole = (prefix.isEmpty ? "" : "\n") + String(decoding: bytes, as: UTF8.self)
            #expect((try? read([String].self, body)) == (isRead ? [whole] : nil))
        }
    }

    @Test(
        "Lists and objects are read up to 100 levels deep, and no deeper", arguments: [100, 101, 200_000])
    func depth(levels: Int) {
        for (opening, closing) in [("[", "]"), (#"{"a":"#, "}")] {
            let json = Data(
                (String(repeating: opening, count: levels) + "0" + String(repeating: closing, count: levels)).utf8)
            let problem = thrown(JSONTape.Problem.self) { _ = try JSONTape(json) }
            #expect(problem == (levels > 100 ? .deeper(than: 100) : nil))
        }
    }

    @Test("A body of 256 MiB is rejected, because tokens cannot count that many bytes")
    func longest() {
        #expect(throws: JSONTape.Problem.longer(than: 268_435_455)) { try JSONTape(Data(count: 268_435_456)) }
    }

    @Test(
        "A number that would become zero or infinite as a Double is rejected, but zero itself is read",
        arguments: [
            ("1e-400", nil), ("1e400", nil), ("-0.00e-999", 0.0), ("0e5", 0), ("-0e25", -0.0),
            ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil), ("10e-00000000000000000001", 1),
            ("5e-324", Double.leastNonzeroMagnitude),
        ])
    func extremes(json: String, expected: Double?) { #expect((try? read(Double.self, json.utf8)) == expected) }

    @Test(
        "The smallest and the largest Int are read, and numbers that an Int cannot hold are rejected",
        arguments: [
            ("9223372036854775807", Int.max), ("9223372036854775808", nil), ("9999999999999999999", nil),
            ("-9223372036854775808", .min), ("-9223372036854775809", nil), ("10000000000000000000", nil),
            ("18446744073709551617", nil), ("999999999999999999", 999_999_999_999_999_999), ("-0", 0), ("0.5", nil),
            ("9007199254740992.0", 9_007_199_254_740_992), ("1e3", 1_000), ("1e30", nil),
            ("9007199254740993.0", 9_007_199_254_740_993), ("-9007199254740993e0", -9_007_199_254_740_993),
            ("123456789012345678.9e1", 1_234_567_890_123_456_789), ("12345678901234567.5", nil),
            ("9223372036854775807.0", Int.max), ("9223372036854775808.0", nil),
        ] as [(String, Int?)])
    func integers(json: String, expected: Int?) {
        #expect((try? read(Int.self, json.utf8)) == expected)
        #expect((try? read(Int64.self, json.utf8)) == expected.map { Int64($0) })
    }

    @Test("Each numeric type has its own limits")
    func widths() throws {
        #expect(try read(UInt64.self, "18446744073709551615".utf8) == .max)
        #expect((try? read(UInt64.self, "18446744073709551616".utf8)) == nil)
        #expect((try? read(Float.self, "1e39".utf8)) == nil && (try? read(Float.self, "3e38".utf8)) == 3e38)
        #expect((try? read(Float.self, "7.9e-50".utf8)) == nil && (try? read(Float.self, "0e-50".utf8)) == 0)
        // Rounded to a `Double` first, this number would be halfway between two floats.
        #expect(try read(Float.self, "16777217.000000001".utf8) == 16_777_218)
        #expect(try read([UInt8].self, "[0, 255]".utf8) == [0, 255])
        #expect((try? read(UInt8.self, "256".utf8)) == nil && (try? read(UInt8.self, "-1".utf8)) == nil)
        #expect(try read([Int8].self, "[-128, 127]".utf8) == [-128, 127])
        #expect((try? read(Int8.self, "128".utf8)) == nil && (try? read(Int8.self, "-129".utf8)) == nil)
    }
}
