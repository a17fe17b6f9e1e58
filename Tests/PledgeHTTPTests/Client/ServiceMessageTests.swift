import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("The words of a refusal", .serialized)
struct ServiceMessageTests {
    private func error(_ response: SandboxResponse) async throws -> ExchangeError {
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(respond: response)
        let error = await things.client { $0.retry = .never }.send(ThingServer.Call.get.endpoint).failure()
        return try #require(error as? ExchangeError)
    }

    @Test(
        "Of a refusal a line is shown, without what nobody sees, however long it is",
        arguments: [
            ("No\u{1B}[31m red\u{7}.", "No[31m red"), ("a\u{202E}b\u{2066}c\u{200B}d\u{FEFF}", "abcd"),
            ("one\r\ntwo\u{2028}three\u{85}four\tfive", "one two three four five"), ("Why...", "Why..."),
            ("Closed. . .", "Closed"), (String(repeating: "x", count: 500), String(repeating: "x", count: 200) + "…"),
            ("e" + String(repeating: "\u{301}", count: 100_000), "e" + String(repeating: "\u{301}", count: 399) + "…"),
            (String(repeating: "\u{200B}", count: 100_000) + "late", ""),
        ])
    func line(words: String, shown: String) async throws {
        let error = try await error(.json(["detail": .string(words)], status: 400))

        let said = shown.isEmpty ? "" : ", saying “\(shown)”"
        #expect(error.description.hasSuffix("the service answered 400\(said)."))
    }

    @Test("A name inside a reply that cannot be read is shown like that, too")
    func names() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(
            respond: .json(.object(["\u{1B}[31m\n\u{202E}\(String(repeating: "x", count: 500))": 7])))

        let error = await things.client().send(Endpoint<[String: Bool]>(.get, "thing/")).failure()

        let text = "\(String(describing: error))"
        #expect(text.contains("the reply's [31m xxx") && text.contains("xxx… is unexpected"))
        #expect(!text.unicodeScalars.contains { CharacterSet.controlCharacters.contains($0) })
    }

    @Test("Names that are nothing but marks on a letter are read as fast as others", .timeLimit(.minutes(60)))
    func marks() async throws {
        // Put in order, as comparing texts does, so many would take half an hour.
        let marks = String(repeating: "\u{301}\u{323}", count: 120_000)
        let body = #"{"token\#(marks)": ["no such word"], "token\#(marks)b": ["kqzx78"]}"#

        let error = try await error(.text(body, status: 400))

        #expect(error.message?.contains("no such word") == true && error.message?.contains("kqzx78") == false)
    }

    @Test("A megabyte of words is read, and more is nobody's words")
    func size() async throws {
        let long = try await error(.text("No. \(String(repeating: "a", count: 1 << 20 - 4))", status: 400))
        let longer = try await error(.text("No. \(String(repeating: "a", count: 1 << 20 - 3))", status: 400))

        #expect(long.description.contains("saying “No. aaa"))
        #expect(longer.description.hasSuffix("the service answered 400."))
    }

    @Test("Of header lines one is shown for each, without secrets and without what nobody sees")
    func headers() {
        let headers: HeaderFields = [
            "Accept": "text/plain", "Set-Cookie": "a=b", "Location": "app://back?code=x&state=s",
            "X-Words": "a\u{1B}[1m\u{202E}b",
        ]

        #expect(
            "\(headers)" == "[Accept: text/plain, Set-Cookie: …, Location: app://back?code=…&state=s, X-Words: a[1mb]")
        #expect(headers["Set-Cookie"] == "a=b")
    }
}
