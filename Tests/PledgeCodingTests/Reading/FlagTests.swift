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

    /// One that is off unless the service says otherwise.
    private struct DefaultSwitch: Readable {
        var isOn: Bool

        init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
            var fields = try source.fields()
            isOn = try fields.flag("on", otherwise: false)
        }
    }

    private func read<Model: Decodable>(_ json: String, _ type: Model.Type) throws -> [Model] {
        let data = Data(#"{"on":\#(json)}"#.utf8)
        return [try TapeDecoder.decode(type, from: JSONTape(data)), try JSONDecoder().decode(type, from: data)]
    }

    @Test(
        "They may be numbers or words",
        arguments: [
            ("true", true), ("1", true), ("1.0", true), (#""1""#, true), (#""True""#, true), (#""yes""#, true),
            ("false", false), ("0", false), (#""0""#, false), (#""FALSE""#, false), (#""no""#, false), (#""""#, nil),
            ("null", nil),
        ] as [(String, Bool?)])
    func known(_ json: String, _ value: Bool?) throws {
        #expect(try read(json, Switch.self).map(\.isOn) == [value, value])
        if let value { #expect(try read(json, DefaultSwitch.self).map(\.isOn) == [value, value]) }
    }

    @Test(
        "What could mean either is an error, not false",
        arguments: [#""on""#, #""Y""#, #""maybe""#, "-3", "2", "0.5", "1e99", "[]", "{}"])
    func unknown(_ json: String) {
        #expect(throws: DecodingError.self) { try read(json, Switch.self) }
    }

    @Test("Where nil has no room, an empty text is an error, and only null is the default")
    func room() throws {
        #expect(throws: DecodingError.self) { try read("\"\"", DefaultSwitch.self) }
        #expect(try read("null", DefaultSwitch.self).map(\.isOn) == [false, false])
    }

    @Test("The error names the type that was expected", arguments: ["[]", "{}", "2", "0.5"])
    func words(_ json: String) {
        let list = Data(#"[{"on":\#(json)}]"#.utf8)
        let read = try? TapeDecoder.decode(ItemList<Switch>.self, from: JSONTape(list))
        #expect(read?.unreadable.map(\.reason) == ["on is not Bool"])
    }
}
