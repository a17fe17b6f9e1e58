import Foundation
import PledgeCoding
import Testing

@Suite("Boolean values")
struct FlagTests {
    private struct Switch: Readable {
        var isOn: Bool?

        init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
            var fields = try source.fields()
            isOn = try fields.flag("on")
        }
    }

    private func read(_ json: String) throws -> [Bool?] {
        let data = Data(#"{"on":\#(json)}"#.utf8)
        return [
            try TapeDecoder.decode(Switch.self, from: JSONTape(data)).isOn,
            try JSONDecoder().decode(Switch.self, from: data).isOn,
        ]
    }

    @Test(
        "They may be numbers or words",
        arguments: [
            ("true", true), ("1", true), ("1.0", true), (#""1""#, true), (#""True""#, true), (#""yes""#, true),
            ("false", false), ("0", false), (#""0""#, false), (#""FALSE""#, false), (#""no""#, false), (#""""#, false),
            ("null", nil),
        ] as [(String, Bool?)])
    func known(_ json: String, _ value: Bool?) throws {
        #expect(try read(json) == [value, value])
    }

    @Test(
        "What could mean either is an error, not false",
        arguments: [#""on""#, #""Y""#, #""maybe""#, "-3", "2", "0.5", "1e99", "[]", "{}"])
    func unknown(_ json: String) {
        #expect(throws: DecodingError.self) { try read(json) }
    }
}
