import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("JSON that the sandbox receives")
struct ServerJSONTests {
    @Test("Any JSON is read, and stays the same when it is encoded and read again")
    func random() throws {
        try Fuzzing.run(cases: 300) { seed, generator in
            let text = RandomJSON.text(depth: 4, &generator)
            let value = try #require(ServerJSON(Data(text.utf8)), "seed \(seed): \(text)")
            #expect(try ServerJSON(value.encoded()) == value, "seed \(seed): \(text)")
        }
        let list = try #require(ServerJSON(Data(#"["a", 7, 1.5, true, null, [1], {"b": 2}]"#.utf8))?.array)
        #expect(list == ["a", 7, 1.5, true, .null, [1], ["b": 2]])
        #expect(try (["b": "/", "a": 1] as ServerJSON).encoded() == Data(#"{"a":1,"b":"/"}"#.utf8))
        #expect(list.map(\.string) == ["a", nil, nil, nil, nil, nil, nil])
        #expect(list.map(\.integer) == [nil, 7, nil, nil, nil, nil, nil])
        #expect(list.map(\.double) == [nil, 7, 1.5, nil, nil, nil, nil])
    }

    @Test(
        "JSON with a name or a string that is not valid text is malformed",
        arguments: [#"{"\uDEB4": 1}"#, #"{"a": {"\uD83E": 1}}"#, "{\"a\n\": 1}", #"{"\x": 1}"#, #"["\uD83E"]"#])
    func invalidText(json: String) {
        #expect(ServerJSON(Data(json.utf8)) == nil)
        #expect(ServerJSON(Data("{\"".utf8) + [0xFF] + Data("\":1}".utf8)) == nil)
    }
}
