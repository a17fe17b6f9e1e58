import Foundation
import PledgeCoding
import Testing

@Suite("Boolean values")
struct FlagTests {
    private struct Switch: Readable {
        var isOn: Bool?

        init(reading source: TapeValue) throws(TapeFailure) {
            var fields = try source.fields()
            isOn = fields.flag("on")
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
    }

    @Test(
        "What could mean either is neither true nor false, and is noted with the place and the type that was expected",
        arguments: [
            (#""on""#, "on is not of the expected form"), (#""Y""#, "on is not of the expected form"),
            ("-3", "on is not Bool"), ("2", "on is not Bool"), ("0.5", "on is not Bool"), ("1e99", "on is not Bool"),
            ("[]", "on is not Bool"), ("{}", "on is not Bool"),
        ])
    func unknown(_ json: String, _ reason: String) throws {
        #expect(try read(json, Switch.self).map(\.isOn) == [nil, nil])
        let tape = try JSONTape(Data(#"[{}, {"on":\#(json)}]"#.utf8))
        let list = try TapeDecoder.decode(ItemList<Switch>.self, from: tape)
        #expect(list.items.map(\.isOn) == [nil, nil] && list.unreadable.isEmpty)
        #expect(tape.unreadableFields.map(\.description) == ["item 1: \(reason)"])
    }

    @Test("What is missing, null, or empty is not noted, and of a thousand notes the first hundred are kept")
    func notes() throws {
        let tape = try JSONTape(Data(#"[{}, {"on": null}, {"on": ""}, {"on": true}]"#.utf8))
        _ = try TapeDecoder.decode(ItemList<Switch>.self, from: tape)
        #expect(tape.unreadableFields.isEmpty)

        let items = Array(repeating: #"{"on": 7}"#, count: 1000).joined(separator: ",")
        let long = try JSONTape(Data("[\(items)]".utf8))
        _ = try TapeDecoder.decode(ItemList<Switch>.self, from: long)
        #expect(long.unreadableFields.map(\.index) == Array(0..<100))
    }
}
