import Foundation
import PledgeSandbox
import Testing

@Suite("JSON that the sandbox receives")
struct ServerJSONTests {
    @Test(
        "A name or a string that is not valid text is malformed",
        arguments: [#"{"\uDEB4": 1}"#, #"{"a": {"\uD83E": 1}}"#, "{\"a\n\": 1}", #"{"\x": 1}"#, #"["\uD83E"]"#])
    func invalidText(json: String) {
        #expect(ServerJSON(Data(json.utf8)) == nil)
    }

    @Test("A name in UTF-8 that is broken is malformed")
    func invalidBytes() {
        #expect(ServerJSON(Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])) == nil)
    }
}
