import ExistKit
import Foundation
import Testing

@Suite("Decoding Exist's JSON", .serialized)
struct ModelTests {
    private func value(_ json: String, type: Int) throws -> AttributeValue? {
        let attribute: Attribute = try decode(
            #"{"name": "x", "value_type": \#(type), "values": [{"date": "2024-03-02", "value": \#(json)}]}"#)
        if let broken = attribute.unreadableValues.first { throw Broken(reason: broken.reason) }
        return try #require(attribute.values.first).value
    }

    private struct Broken: Error {
        var reason: String
    }

    @Test(
        "A value decodes by its type, and is kept as sent if it does not fit",
        arguments: [
            ("7", 0, AttributeValue.integer(7)), ("7", 3, .integer(7)), ("7", 4, .integer(7)), ("7", 6, .integer(7)),
            ("7", 8, .integer(7)), ("7", 1, .decimal(7)), ("2170.0", 1, .decimal(2170)), ("1", 5, .decimal(1)),
            ("4174.0", 0, .integer(4174)), ("7.5", 0, .decimal(7.5)), (#""7""#, 0, .text("7")), ("7", 2, .integer(7)),
            (#""""#, 2, .text("")), ("true", 7, .integer(1)), ("false", 7, .integer(0)), ("0", 7, .integer(0)),
            ("16777217", 0, .integer(16_777_217)), ("9007199254740993", 0, .integer(9_007_199_254_740_993)),
            ("9223372036854775808", 0, .decimal(9.223372036854775808e18)),
            (#"{"x": 1}"#, 11, .other(.object(["x": .integer(1)]))),
            ("[1, 2]", 11, .other(.array([.integer(1), .integer(2)]))),
        ])
    func values(json: String, type: Int, expected: AttributeValue) throws {
        #expect(try value(json, type: type) == expected)
    }

    @Test("Null and missing values are nil", arguments: [0, 1, 2, 7, 8, 11])
    func null(type: Int) throws {
        #expect(try value("null", type: type) == nil)
        let attribute: Attribute = try decode(
            #"{"name": "x", "value_type": \#(type), "values": [{"date": "2024-03-02"}]}"#)
        #expect(attribute.values.map(\.value) == [nil])
    }

    @Test(
        "A value that is an object, a list, or too small a number is an error of that value alone",
        arguments: ["{}", "[]", "1e-400"])
    func unfit(json: String) {
        #expect(throws: Broken.self) { try value(json, type: 0) }
    }

    @Test("An attribute's owner decodes from an object, a name, or null")
    func service() throws {
        let object: Attribute = try decode(#"{"name": "a", "service": {"name": "oura", "label": "Oura"}}"#)
        let name: Attribute = try decode(#"{"name": "a", "service": "oura", "group": "sleep", "active": "true"}"#)
        let nobody: Attribute = try decode(#"{"name": "a", "service": null}"#)

        #expect(object.service == "oura")
        #expect(object.serviceInfo?.label == "Oura")
        #expect(name.service == "oura")
        #expect(name.group.name == "sleep")
        #expect(name.active == true)
        #expect(nobody.service == nil)
        #expect(nobody.valueType == .unknown(-1))
    }

    @Test("A profile needs only a user name; the avatar may be null and the time zone unknown")
    func user() throws {
        let full: User = try decode(
            """
            {"username": "ines_k", "first_name": "Inès", "last_name": "Källström 🐝", "avatar": "https://exist.io/a.png",
             "timezone": "Europe/Stockholm", "local_time": "2024-02-29T23:58:07.046213+01:00", "imperial_liquid": true}
            """)
        let sparse: User = try decode(
            #"{"username": "owl", "avatar": null, "timezone": "Mars/Olympus", "local_time": "2024-03-01T13:30:00+13:45"}"#
        )

        #expect(full.lastName == "Källström 🐝")
        #expect(full.imperialLiquid && !full.imperialWeight)
        #expect(abs((full.localTime?.timeIntervalSince1970 ?? 0) - 1_709_247_487.046213) < 1e-6)
        #expect(sparse.avatar == nil)
        #expect(sparse.timeZone?.secondsFromGMT() == 49_500)
    }

    @Test(
        "The date of an insight decodes with any fraction and any offset",
        arguments: [
            ("2024-03-02T06:05:11Z", 1_709_359_511.0), ("2024-03-02T06:05:11.5+00:00", 1_709_359_511.5),
            ("2024-03-02T06:05:11.123456789+01:00", 1_709_355_911.123456789),
            ("2024-03-02T06:05:11+0545", 1_709_338_811),
            ("2024-03-02T06:05:11-08", 1_709_388_311), ("2024-03-02T06:05:11", 1_709_359_511),
            ("2024-03-02T23:59:60Z", 1_709_424_000),
        ])
    func moments(text: String, seconds: Double) throws {
        let insight: Insight = try decode(#"{"created": "\#(text)", "type": {"name": "x"}, "target_date": null}"#)
        #expect(abs(insight.created.timeIntervalSince1970 - seconds) < 1e-6)
        #expect(insight.targetDay == nil)
        #expect(insight.type.attribute == nil)
    }

    @Test(
        "An invalid date is an error",
        arguments: ["2024-03-02", "2024-03-02T24:00:00Z", "2024-02-30T00:00:00Z", "soon", ""])
    func noMoment(text: String) {
        #expect(throws: DecodingError.self) {
            try decode(Insight.self, #"{"created": "\#(text)", "type": {"name": "x"}}"#)
        }
    }
}
