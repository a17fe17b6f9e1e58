import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Custom JSON coding", .serialized)
final class JSONCodingTests: ThingSuite {
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
        things.respond(.text(body))
        let client = things.client { ($0.json, $0.retry) = (coding, .never) }
        return await client.value(of: Endpoint<Value>(.get, "book")).settled().value
    }

    @Test("`snakeCase` decodes snake-case keys and ISO 8601 dates; a custom decoder uses its own strategies")
    func snakeCase() async throws {
        for (date, coding) in [
            (#""1970-01-01T00:00:07Z""#, .snakeCase), (#""1970-01-01T01:00:07.000+01:00""#, .snakeCase),
            (#""1970-01-01 00:00:07""#, .snakeCase), ("7", Self.seconds),
        ] as [(String, JSONCoding)] {
            let book = try await answer(#"{"first_title": "a", "printed_at": \#(date)}"#, coding).get()
            #expect(book == Book(firstTitle: "a", printedAt: Date(timeIntervalSince1970: 7)), "\(date)")
        }
        // A date without a time is the start of that day in UTC, regardless of the time zone in which the test runs.
        let book = try await answer(#"{"first_title": "a", "printed_at": "2024-02-29"}"#, .snakeCase).get()
        #expect(book.printedAt == Date(timeIntervalSince1970: 1_709_164_800))
        for date in ["2023-02-29", "2024-02", "2024-02-29Z", "20240229", ""] {
            let error = try #require(
                await answer(#"{"first_title": "a", "printed_at": "\#(date)"}"#, .snakeCase).failure)
            #expect("\(error)".contains("printed_at is unexpected: it is not a date"))
        }
    }

    @Test(
        "The explanation of an unreadable response is the same with every decoder",
        arguments: [
            ("", "the response has no content"), (" \n", "the response has no content"),
            ("<html>", "the response is a web page instead of JSON"),
            ("no", "the response is not JSON, or was cut off"),
            (#"{"first_title": "a", "#, "the response is not JSON, or was cut off"),
            (#"{"first_title": "a"}"#, "is missing"), ("[7]", "the response's top level is unexpected: "),
            (String(repeating: "[", count: 100_000), "it is nested deeper than"),
        ])
    func checks(body: String, words: String) async throws {
        for coding in [JSONCoding.plain, .snakeCase, Self.seconds] {
            let error = try #require(try await answer(body, coding).failure as? ExchangeError)
            guard case .unreadable(let response) = error.reason else { throw error }
            #expect("\(error)".contains(words) && !"\(response)".hasSuffix("."), "\(error)")
        }
    }

    @Test("A byte that isn't UTF-8 becomes a replacement character, and the rest of the response is still decoded")
    func notUTF8() throws {
        let bytes = Data(#"[{"first_title": "caf"#.utf8) + [0xE9] + Data(#"", "printed_at": 7}]"#.utf8)
        func read(_ body: Data) throws -> [Book] {
            try RawResponse(url: URL(fileURLWithPath: "/"), status: 200, body: body).json(by: Self.seconds)
        }
        #expect(try read(bytes).first?.firstTitle == "caf\u{FFFD}")
        for body in [bytes.dropLast(3), try #require(#"["é"]"#.data(using: .utf16LittleEndian))] {
            #expect(throws: UnreadableResponse.notJSON) { try read(body) }
        }
    }

    @Test("A custom decoder has enough stack for the deepest JSON, even on a thread with a small stack")
    func deep() async throws {
        let body = Data((String(repeating: "[", count: 100) + String(repeating: "]", count: 100)).utf8)
        let response = RawResponse(url: try #require(URL(string: "https://a.example/")), status: 200, body: body)
        let value: JSONValue? = await SmallStack.run(bytes: 512 << 10) { try? response.json(by: Self.seconds) }
        #expect(value != nil)
    }

    /// Foundation's decoder would stop the process with Swift 6.0 on Linux, and before iOS 18.4 and macOS 15.4.
    @Test(
        "A custom decoder doesn't receive JSON in which a member's name has half of a surrogate pair; other escapes are fine",
        arguments: [
            (#"{"a": [{"b\uD83E": 1}]}"#, "a[0]"), (#"{"\uDEB4": 1}"#, "top level"),
            (#"{"b": {}, "a": {"\uD83E\uDEB4\uD83E": 1}}"#, "a"), (#"{"\n\uD83E\n": 1}"#, "top level"),
            (#"{"\uD83E\uDEB4": 1, "\n\\uD83E": 2, "\uFFFD": {}}"#, nil),
        ])
    func halfPairInName(json: String, path: String?) async throws {
        let result = try await answer(json, Self.seconds, as: JSONValue.self)
        guard let path else { return #expect(result.failure == nil) }
        #expect(
            "\(result.failure as Any)".contains(
                "the response's \(path) is unexpected: the name of a member has half of a surrogate pair"))
    }

    private struct Part: Decodable, Sendable {
        var partUUID: String
    }

    @Test("The error for a missing member names the key and some of the keys that were found, but no values")
    func missingMember() async throws {
        func words(_ json: String, _ coding: JSONCoding) async throws -> String {
            let error = try #require(await answer(json, coding, as: [Part].self).failure)
            return try #require("\(error)".components(separatedBy: "failed: ").last)
        }
        let json = #"[{"part_uuid": "a"}, {"id": "kqzx78", "partial_uuid": "kqzx78"}]"#
        #expect(
            try await words(json, .snakeCase)
                == "the response's [1] is unexpected: part_uuid is missing, only “id” and “partial_uuid” were found. "
                + "Check the base URL; if it is right, the service may have changed.")
        for coding in [JSONCoding.plain, Self.seconds] {
            let other = try await words(#"[{"id": "kqzx78"}]"#, coding)
            #expect(other.contains("partUUID is missing, only “id” was found"))
        }
    }
}
