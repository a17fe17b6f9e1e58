import ExistKit
import Foundation
import PledgeCoding
import Testing

@testable import PledgeCommand

@Suite("JSON output", .serialized)
struct JSONTextTests {
    private func text(_ write: (inout JSONText) -> Void) -> String {
        var json = JSONText()
        write(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test(
        "A time is written as the service sent it, with its offset",
        arguments: [
            "2026-11-20T07:30:00Z", "2026-11-20T07:30:00.123Z", "2026-11-20T07:30:59.999999-03:30",
            "2026-11-20T00:00:00+14:00", "1969-12-31T23:59:59.001+01:00", "0001-01-01T00:00:00.5Z",
        ])
    func moments(text: String) throws {
        let (date, offset) = try #require(Timestamp.parse(text))
        #expect(
            self.text { $0.timestamp("at", date, offset: offset) }
                == #""at":"\#(text.replacing(".5Z", with: ".500Z"))""#)
    }

    @Test("JSON output escapes exactly the characters that control a terminal or may end a line")
    func escapes() throws {
        let scalars = (0...0x20FF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        let text = String(String.UnicodeScalarView(scalars)) + "é🎈"
        let written = self.text { $0.object { $0.field("text", text) } }
        for output in [written, try ["text": text].prettyJSON()] {
            #expect(try JSONDecoder().decode([String: String].self, from: Data(output.utf8)) == ["text": text])
            let raw = Set(output.unicodeScalars)
            #expect(raw.filter { $0.properties.generalCategory == .control }.subtracting(["\n"]).isEmpty)
            #expect(raw.isDisjoint(with: ["\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}"]))
            #expect(raw.isSuperset(of: ["é", "🎈", "\u{200D}", "\u{200F}", "\u{2020}", "\u{206A}", "\u{A0}"]))
        }
    }

    @Test("Values keep their types in JSON; missing values are omitted, and infinite numbers become null")
    func values() throws {
        let written = text { json in
            json.object { json in
                json.field("text", nil as String?)
                json.field("int", AttributeValue.integer(-4))
                json.field("double", AttributeValue.decimal(1e-7))
                json.field("infinite", Double.infinity)
                json.field("other", AttributeValue.other(.object(["a": .array([.bool(true), .null, .number(0.5)])])))
                json.objects("list", [1, 2]) { $0.field("n", $1) }
                json.field("flag", true)
                json.field("map", ["b\"": "2", "a": "1"])
                json.field("empty", [String: String]())
            }
        }
        #expect(
            written
                == #"{"int":-4,"double":1e-07,"infinite":null,"other":{"a":[true,null,0.5]},"list":[{"n":1},{"n":2}],"flag":true,"#
                + #""map":{"a":"1","b\"":"2"},"empty":{}}"#)
    }

    @Test("JSON has numbers as Swift prints them; text with special characters at any position can be read back")
    func numbers() throws {
        var doubles: [Double] = [0, -0.0, 1, -1, 0.1, 1e15, -1e15, 999_999_999_999_999, 1e16]
        doubles += [.leastNonzeroMagnitude, .greatestFiniteMagnitude]
        doubles += (0..<2_000).map { Double(bitPattern: UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }.filter(\.isFinite)
        for double in doubles { #expect(text { $0.field("d", double) } == "\"d\":\(double)") }
        for int in [0, 7, -7, 10, -10, 1234567890, .max, .min] {
            #expect(text { $0.field("i", int) } == "\"i\":\(int)")
        }
        for length in 0..<40 {
            for special in [
                "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "\u{85}", "\u{2028}", "é", "â", "\u{2019}", "🎈",
            ] {
                let text = String(repeating: "a", count: length) + special + String(repeating: "~", count: length % 11)
                let written = "{\(self.text { $0.texts("t", [text, text]) })}"
                #expect(
                    try JSONDecoder().decode([String: [String]].self, from: Data(written.utf8)) == ["t": [text, text]])
            }
        }
    }
}
