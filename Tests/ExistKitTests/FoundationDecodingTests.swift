import Foundation
import Testing

@testable import ExistKit

/// Calls decode with the client's own decoder. An app that stores responses decodes them with Foundation's decoder, so
/// both decoders must give the same results.
@Suite("Decoding by the client and by Foundation", .serialized)
struct FoundationDecodingTests {
    private enum Reader: CaseIterable {
        case client, foundation

        func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
            let body = Data(json.utf8)
            guard self == .client else { return try JSONDecoder().decode(type, from: body) }
            return try RawResponse(url: ExistAPI.serviceURL, status: 200, body: body).json(type)
        }
    }

    /// Returns an attribute with the given value between two valid values.
    private func attribute(_ json: String, _ type: Int, _ reader: Reader) throws -> Attribute {
        try reader.read(
            Attribute.self,
            """
            {"name": "x", "value_type": \(type), "values": [{"date": "2024-03-03", "value": null},
             {"date": "2024-03-02"\(json.isEmpty ? "" : ", \"value\": \(json)")}, {"date": "2024-03-01", "value": null}]}
            """)
    }

    @Test(
        "A value is decoded according to its attribute's type",
        arguments: [
            ("7", [0, 3, 4, 6, 8], AttributeValue.integer(7)), ("7", [1, 5], .decimal(7)),
            ("2170.0", [1, 5], .decimal(2170)), ("4174.0", [0], .integer(4174)), ("7.5", [0], .decimal(7.5)),
            (#""7""#, [0], .text("7")), ("7", [2], .integer(7)),
            ("true", [0, 2, 7], .integer(1)), ("true", [1, 5], .decimal(1)), ("7", [9], .integer(7)),
            ("false", [7], .integer(0)), ("1", [7], .integer(1)), ("0", [7], .integer(0)),
            ("", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], nil),
            ("null", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], nil), ("16777217", [0], .integer(16_777_217)),
            ("9007199254740993", [0, 3], .integer(9_007_199_254_740_993)),
            ("9223372036854775807", [0], .integer(.max)), ("9223372036854775808", [0], .decimal(0x1p63)),
            ("0.214", [5], .decimal(0.214)), ("65.80000305175781", [1], .decimal(65.80000305175781)),
            (#""""#, [2], .text("")), (#""\u00e9\uD83E\uDEB4""#, [2], .text("é🪴")),
            (#"{"x": [1, 2.5]}"#, [9, 11], .other(.object(["x": .array([.integer(1), .number(2.5)])]))),
            ("[1, 2]", [11], .other(.array([.integer(1), .integer(2)]))),
        ] as [(String, [Int], AttributeValue?)])
    func values(json: String, types: [Int], expected: AttributeValue?) throws {
        for reader in Reader.allCases {
            for type in types {
                let attribute = try attribute(json, type, reader)
                #expect(attribute.values.map(\.value) == [nil, expected, nil], "\(json) as \(type) by \(reader)")
                #expect(attribute.unreadableValues.isEmpty)
                // In a history, a value is first decoded without its attribute's type.
                guard expected != nil else { continue }
                let alone = try reader.read(AttributeValue.self, json).read(as: ValueType(rawValue: type))
                #expect(alone == expected, "\(json) as \(type) by \(reader)")
            }
        }
    }

    @Test(
        "A broken value affects only itself, and is reported with its index",
        arguments: [("{}", 0), ("[]", 0), ("{}", 1), ("[]", 2), ("{}", 7), ("1e-400", 0), ("1e-400", 1), ("1e-400", 9)])
    func broken(json: String, type: Int) throws {
        for reader in Reader.allCases {
            let attribute = try attribute(json, type, reader)
            #expect(attribute.values.map(\.day.description) == ["2024-03-03", "2024-03-02", "2024-03-01"])
            #expect(attribute.values.map(\.value) == [nil, nil, nil], "by \(reader)")
            #expect(attribute.unreadableValues.map(\.index) == [1], "by \(reader)")
            // The value is lost, although its day is in the list.
            #expect(attribute.unreadableValues.map(\.isKept) == [false], "by \(reader)")
            // In a history, a value is first decoded without its attribute's type.
            let alone = try? reader.read(AttributeValue.self, json)
            #expect(alone?.read(as: ValueType(rawValue: type)) == nil, "by \(reader)")
        }
        let reason = try attribute(json, type, .client).unreadableValues.first?.reason
        #expect(reason?.hasPrefix("value is not ") == true, "\(reason ?? "")")
    }

    @Test(
        "Times are decoded to the microsecond with any UTC offset, and as UTC if they have no offset",
        arguments: [
            ("2024-03-02T06:05:11.123456Z", 1_709_359_511.123456), ("2024-03-02T06:05:11+05:45", 1_709_338_811),
            ("2024-03-02T06:05:11", 1_709_359_511),
        ])
    func moments(text: String, seconds: Double) throws {
        for reader in Reader.allCases {
            let insight = try reader.read(Insight.self, #"{"created": "\#(text)", "type": {"name": "x"}}"#)
            #expect(abs(insight.created.timeIntervalSince1970 - seconds) < 1e-6)
        }
    }

    private struct Visit: Encodable {
        var began: Date
        var ended: Date?
        var link: URL?
    }

    @Test("A model's dates and URLs are encoded as texts, whether they are optional or not")
    func encodedFields() throws {
        let date = Date(timeIntervalSince1970: 1_709_359_511)
        let whole = try JSONEncoder().encode(Visit(began: date, ended: date, link: URL(string: "https://exist.io/")))
        let bare = try JSONEncoder().encode(Visit(began: date, ended: nil, link: nil))
        #expect(
            try JSONDecoder().decode([String: String].self, from: whole) == [
                "began": "2024-03-02T06:05:11Z", "ended": "2024-03-02T06:05:11Z", "link": "https://exist.io/",
            ])
        #expect(try JSONDecoder().decode([String: String].self, from: bare) == ["began": "2024-03-02T06:05:11Z"])
    }

    @Test(
        "An invalid day or time affects only its own item",
        arguments: ["2022-02-30", "2022-5-13", "2024-03-02T24:00:00Z", "2024-02-30T00:00:00Z", "soon", ""])
    func noMoment(text: String) throws {
        let good = #"{"created": "2024-03-02T06:05:11Z", "target_date": null, "type": {"name": "x"}}"#
        for reader in Reader.allCases {
            let page = try reader.read(
                ExistPage<Insight>.self,
                """
                {"count": 4, "results": [\(good), {"created": "\(text)", "type": {"name": "x"}},
                 {"created": "2024-03-02T06:05:11Z", "target_date": "\(text)", "type": {"name": "x"}}, \(good)]}
                """)
            #expect(page.results.count == 3 && page.results[1].targetDay == nil)
            #expect(page.unreadable.map { "\($0.index): \($0.reason.prefix(11))" } == ["1: created is "])
            let values = try reader.read(
                ExistPage<Attribute.DayValue>.self,
                #"{"results": [{"date": "\#(text)", "value": 1}, {"date": "2024-02-29", "value": 2}]}"#)
            #expect(values.map(\.day.description) == ["2024-02-29"])
        }
    }
}
