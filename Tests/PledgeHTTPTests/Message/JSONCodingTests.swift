import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Custom JSON coding", .serialized)
struct JSONCodingTests {
    private struct Book: Decodable, Equatable, Sendable {
        var firstTitle: String
        var printedAt: Date
    }

    private static let seconds = JSONCoding(decoder: {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    })

    private func answer<Value: Decodable & Sendable>(
        _ body: String, _ coding: JSONCoding, as type: Value.Type = Book.self
    ) async throws -> Result<Value, any Error> {
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(respond: .text(body))
        let client = things.client { ($0.json, $0.retry) = (coding, .never) }
        return await client.value(of: Endpoint<Value>(.get, "book")).settled().value
    }

    @Test(
        "Keys in snake case decode, and so do ISO 8601 dates with fractions and offsets",
        arguments: ["1970-01-01T00:00:07Z", "1970-01-01T01:00:07.000+01:00", "1970-01-01 00:00:07"])
    func snakeCase(date: String) async throws {
        let book = try await answer(#"{"first_title": "a", "printed_at": "\#(date)"}"#, .snakeCase).get()

        #expect(book == Book(firstTitle: "a", printedAt: Date(timeIntervalSince1970: 7)))
    }

    @Test("A custom decoder decodes with its own strategies")
    func own() async throws {
        let book = try await answer(#"{"first_title": "a", "printed_at": 7}"#, Self.seconds).get()

        #expect(book == Book(firstTitle: "a", printedAt: Date(timeIntervalSince1970: 7)))
    }

    @Test(
        "An unreadable response has the same explanation with any decoder",
        arguments: [
            ("", "the reply has no content"), (" \n", "the reply has no content"),
            ("<html>", "the reply is a web page instead of JSON"), ("no", "the reply is not JSON, or was cut off"),
            (#"{"first_title": "a", "#, "the reply is not JSON, or was cut off"),
            (#"{"first_title": "a"}"#, "is missing"),
            (String(repeating: "[", count: 100_000), "it is nested deeper than"),
        ])
    func checks(body: String, words: String) async throws {
        for coding in [JSONCoding.plain, .snakeCase, Self.seconds] {
            let error = try #require(try await answer(body, coding).failure as? ExchangeError)
            guard case .unreadable = error.reason else {
                Issue.record("\(error)")
                continue
            }
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    @Test("A bad byte costs its character, not the response, and is noted")
    func notUTF8() throws {
        let bytes = Data(#"[{"first_title": "caf"#.utf8) + [0xE9] + Data(#"", "printed_at": 7}]"#.utf8)
        let reply = HTTPReply(url: URL(fileURLWithPath: "/"), status: 200, body: bytes)
        #expect(try reply.json([Book].self, by: Self.seconds).first?.firstTitle == "caf\u{FFFD}")
        let cut = HTTPReply(url: URL(fileURLWithPath: "/"), status: 200, body: bytes.dropLast(3))
        #expect(throws: UnreadableReply.notJSON) { try cut.json([Book].self, by: Self.seconds) }
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try HTTPReply(url: URL(fileURLWithPath: "/"), status: 200, body: Data(json.utf8)).json(type, by: .snakeCase)
    }

    private struct Names: Codable, Equatable, Sendable {
        struct Part: Codable, Equatable, Sendable {
            var partUUID: String
        }

        var attachmentID: Int
        var userId: Int
        var htmlURL: String
        var ownerIDs: [Int]
        var addressLine1: String
        var _id: Int
        var part: Part
        var counts: [String: Int]
        var missing: Int?
    }

    @Test("Snake case finds members with acronyms, plurals, and digits, among few members and among many")
    func acronyms() throws {
        let json = """
            "attachment_id": 1, "user_id": 2, "html_url": "h", "owner_ids": [3], "address_line_1": "a", "_id": 4,
            "part": {"part_uuid": "u"}, "counts": {"first_count": 5}
            """
        let names = Names(
            attachmentID: 1, userId: 2, htmlURL: "h", ownerIDs: [3], addressLine1: "a", _id: 4,
            part: Names.Part(partUUID: "u"), counts: ["first_count": 5])
        let many = (0..<40).map { "\"other_\($0)\": 0, " }.joined()
        for text in ["{\(json)}", "{\(many)\(json)}"] {
            #expect(try read(Names.self, text) == names)
        }
    }

    @Test("A member as written comes before one in snake case, and that before one with other capitals or underscores")
    func preference() throws {
        struct Pair: Decodable, Equatable {
            var userID: Int
            var user: Int?
        }

        #expect(try read(Pair.self, #"{"userId": 1, "user_id": 2, "userID": 3}"#) == Pair(userID: 3))
        #expect(try read(Pair.self, #"{"userId": 1, "user_id": 2, "_user": 4}"#) == Pair(userID: 2))
        #expect(try read(Pair.self, #"{"userId": 1, "us_er": 4}"#) == Pair(userID: 1, user: 4))
    }

    @Test("Snake case finds the case of an enumeration with values")
    func payloads() throws {
        enum Block: Decodable, Equatable {
            case imageURL(htmlText: String)
        }

        #expect(try read(Block.self, #"{"image_url": {"html_text": "x"}}"#) == .imageURL(htmlText: "x"))
    }

    @Test("A request's body has the names that a response is searched for")
    func encoded() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        let names = Names(
            attachmentID: 1, userId: 2, htmlURL: "h", ownerIDs: [3], addressLine1: "a", _id: 4,
            part: Names.Part(partUUID: "u"), counts: ["firstCount": 5])
        let client = things.client { $0.json = .snakeCase }

        _ = await client.send(Endpoint<Void>(.post, "thing/", body: .json(names))).settled().value

        let body = try #require(things.server.requests.first?.body)
        #expect(
            String(decoding: body, as: UTF8.self) == #"{"_id":4,"address_line1":"a","attachment_id":1,"#
                + #""counts":{"firstCount":5},"html_url":"h","owner_ids":[3],"part":{"part_uuid":"u"},"user_id":2}"#)
    }

    @Test("The error for a missing member names the key, and some of the keys that were there, but no values")
    func missingMember() async throws {
        let long = String(repeating: "x", count: 5_000)
        func words(_ json: String, _ coding: JSONCoding) async throws -> String {
            let error = try #require(await answer(json, coding, as: [Names.Part].self).failure)
            return try #require("\(error)".components(separatedBy: "failed: ").last)
        }
        let json = #"[{"part_uuid": "a"}, {"id": "kqzx78", "partial_uuid": "kqzx78"}]"#

        #expect(
            try await words(json, .snakeCase)
                == "the reply's [1] is unexpected: part_uuid is missing, only “id” and “partial_uuid” were found. "
                + "Check the base URL; if it is right, the service may have changed.")
        for coding in [JSONCoding.plain, Self.seconds] {
            #expect(
                try await words(#"[{"id": "kqzx78"}]"#, coding).contains("partUUID is missing, only “id” was found"))
        }
        let many = (0..<1_000).map { #""name_\#($0)": 0"# }.joined(separator: ", ")
        #expect(try await words("[{\(many)}]", .snakeCase).contains("“name_10”, “name_11” and 988 more were found"))
        let cut = try await words(#"[{"\#(long)": 0, "a": 0}]"#, .snakeCase)
        #expect(cut.contains("\(String(repeating: "x", count: 40))…”") && cut.count < 400)
    }

    @Test("The error for an invalid date names its place, but not its text")
    func wrongDate() async throws {
        let result = try await answer(#"{"first_title": "a", "printed_at": "kqzx78"}"#, .snakeCase)

        let words = "\(try #require(result.failure))"
        #expect(words.contains("printed_at is unexpected: it is not a date and time") && !words.contains("kqzx"))
    }
}
