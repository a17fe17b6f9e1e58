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

    private func answer(
        _ body: String, _ coding: JSONCoding, status: Int = 200
    ) async throws -> Result<Book, any Error> {
        let server = SandboxServer(routes: [])
        try server.start()
        defer { server.stop() }
        server.script.next(respond: .text(body, status: status))
        let client = EndpointClient(
            baseURL: server.baseURL, options: EndpointClient.Options().with { $0.json = coding })
        return await client.value(of: Endpoint(.get, "book")).settled().value
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

    @Test("The error for an invalid date names its place, but not its text")
    func wrongDate() async throws {
        let result = try await answer(#"{"first_title": "a", "printed_at": "kqzx78"}"#, .snakeCase)

        let words = "\(try #require(result.failure))"
        #expect(words.contains("printedAt is unexpected: it is not a date and time") && !words.contains("kqzx"))
    }
}
