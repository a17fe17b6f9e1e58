import Foundation
import PledgeCoding
import Testing

@Suite("Numbers in any JSON")
struct JSONValueTests {
    private func read(_ json: String) throws -> [JSONValue] {
        [
            try TapeDecoder.decode(JSONValue.self, from: JSONTape(Data(json.utf8))),
            try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)),
        ]
    }

    @Test(
        "A number with more digits than a Double can hold keeps all its digits, also when it is encoded again",
        arguments: [
            "12345678901234567890", "-98765432109876543210", "9223372036854775809", "0.12345678901234567890123",
            "12345678901234567.25", "9007199254740993.5", "9007199254740992.4",
            "4503599627370497.1", "1.00000000000000000001", "-2.000000000000000000005",
        ])
    func kept(_ json: String) throws {
        for value in try read(json) {
            let number = try #require(Decimal(string: json))
            #expect(value == .decimal(number))
            let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
            #expect(Decimal(string: text) == number)
        }
    }

    @Test(
        "Any other number becomes an integer or a double",
        arguments: [
            ("7", .integer(7)), ("4174.0", .integer(4174)), ("9223372036854775807", .integer(.max)),
            ("7.50", .number(7.5)), ("0.1", .number(0.1)), ("0.30000000000000004", .number(0.30000000000000004)),
            ("10000000000000000000", .number(1e19)), ("1.234567890123456e300", .number(1.234567890123456e300)),
            ("0.1000000000000000000000", .number(0.1)),
        ] as [(String, JSONValue)])
    func others(_ json: String, _ value: JSONValue) throws { #expect(try read(json) == [value, value]) }
}
