import Foundation
import PledgeHTTP
import PledgeCoding
import PledgeTestSupport
import Testing

@Suite("Decoding the JSON of a response", .serialized)
struct JSONReplyTests {
    private func read<Value: Decodable>(_ type: Value.Type = Value.self, _ json: String) throws -> Value {
        let url = try #require(URL(string: "https://example.org/"))
        return try HTTPReply(url: url, status: 200, body: Data(json.utf8)).json(type)
    }

    private struct Place: Decodable, Equatable {
        var address: URL
        var bytes: Data
        var price: Decimal
        var moment: Date
        var names: [Int: String]
        var note: String?
    }

    @Test("URLs, data, decimals, dates, and dictionaries with integer keys decode as with Foundation")
    func specialTypes() throws {
        let json = """
            {"address": "https://example.org/a?b=%20", "bytes": "AQID", "price": 0.1, "moment": 12.5,
             "names": {"1": "one", "2": "two"}}
            """

        let place = try read(Place.self, json)

        #expect(try place == JSONDecoder().decode(Place.self, from: Data(json.utf8)))
        #expect(place.bytes == Data([1, 2, 3]) && place.price == Decimal(string: "0.1") && place.names[2] == "two")
    }

    private class Animal: Decodable {
        var legs: Int
    }

    private final class Bird: Animal {
        var wings: Int

        private enum CodingKeys: String, CodingKey { case wings }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            wings = try container.decode(Int.self, forKey: .wings)
            try super.init(from: try container.superDecoder())
        }
    }

    @Test("A class decodes the members of its superclass")
    func inheritance() throws {
        let bird = try read(Bird.self, #"{"wings": 2, "super": {"legs": 2}}"#)
        #expect(bird.wings == 2 && bird.legs == 2)
        #expect(throws: UnreadableReply.self) { try read(Bird.self, #"{"wings": 2}"#) }
    }

    private struct Week: Decodable {
        struct Day: Decodable {
            var steps: Int
        }

        var days: [Day]
    }

    @Test(
        "The error for a value that does not fit names its place and type, but not the value",
        arguments: [
            (#"{"days": [{"steps": 1}, {"steps": "secret"}]}"#, "days[1].steps", "it is text instead of Int"),
            (#"{"days": [{"steps": null}]}"#, "days[0].steps", "it is null instead of Int"),
            (#"{"days": [{"steps": 7.5}]}"#, "days[0].steps", "it is a number that Int cannot hold"),
            (#"{"days": [{"steps": 98765432109876543210}]}"#, "days[0].steps", "it is a number that Int cannot hold"),
            (#"{"days": [{}]}"#, "days[0]", "steps is missing, as the object is empty"),
            (#"{"days": [{"steps": 1}, {"Steps": 2}]}"#, "days[1]", "steps is missing, only “Steps” was found"),
            (#"{"days": [[]]}"#, "days[0]", "it is a list instead"),
            (#"{"days": {}}"#, "days", "it is an object instead"), (#"[]"#, "", "it is a list instead"),
        ])
    func misfits(json: String, path: String, words: String) throws {
        let error = thrown(UnreadableReply.self) { try read(Week.self, json) }
        guard case .unexpected(let place, let problem)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place == path)
        #expect(problem.hasPrefix(words), "\(problem)")
    }

    @Test("The deepest allowed nesting decodes on the stack of any thread")
    func smallStack() {
        let json = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let isRead = Locked(false)
        // As large as Dispatch's threads have.
        SmallStack.run(bytes: 512 << 10) {
            let value = try? read(JSONValue.self, json)
            isRead.withLock { $0 = value != nil }
        }
        #expect(isRead.withLock { $0 })
    }

    @Test("A UTF-8 byte order mark is skipped, and other encodings are rejected as not JSON")
    func encodings() throws {
        #expect(try read([Int].self, "\u{FEFF}[1]") == [1])
        let url = try #require(URL(string: "https://example.org/"))
        let wide = try #require(#"["é"]"#.data(using: .utf16LittleEndian))
        let reply = HTTPReply(url: url, status: 200, body: wide)
        #expect(throws: UnreadableReply.notJSON) { try reply.json([String].self) }
    }
}
