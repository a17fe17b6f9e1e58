import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Messages of failed responses", .serialized)
final class ServiceMessageTests: ThingSuite {
    private func error(_ response: ServerResponse) async throws -> ExchangeError {
        try await failure(response) { $0.retry = .never }
    }

    private static let lines: [(words: String, shown: String)] = [
        ("No\u{1B}[31m red\u{7}.", "No[31m red"), ("a\u{80}\u{202E}b\u{2066}c\u{200B}d\u{FEFF}", "abcd"),
        ("one\r\ntwo\u{2028}three\u{85}four\tfive", "one two three four five"), ("Why...", "Why..."),
        ("Closed. . .", "Closed"), (String(repeating: "x", count: 500), String(repeating: "x", count: 200) + "…"),
        ("e" + String(repeating: "\u{301}", count: 100_000), "e" + String(repeating: "\u{301}", count: 399) + "…"),
        (String(repeating: "\u{200B}", count: 100_000) + "late", ""), (whole, whole), (marked, marked),
        ("\(marked)\u{301}", "\(marked)…"),
    ]
    /// Lines with the maximum length: 200 characters, or 400 Unicode scalars.
    private static let whole = String(repeating: "x", count: 200)
    private static let marked = "e" + String(repeating: "\u{301}", count: 399)

    @Test(
        "A service's message is shown as a single line of limited length, without invisible characters",
        arguments: lines)
    func line(words: String, shown: String) async throws {
        let error = try await error(.json(["detail": .string(words)], status: 400))
        let said = shown.isEmpty ? "" : ", saying “\(shown)”"
        #expect(error.description.hasSuffix("the service answered 400\(said)."))
    }

    @Test(
        "A service's message is found in each usual form of an error response, and not in other forms",
        arguments: [
            (#"{"error": {"code": 7, "message": "No."}}"#, "No."), (#"{"error": {"detail": "No."}}"#, "No."),
            (#"{"errors": [{"message": "No."}, {"detail": "Never."}]}"#, "No. Never."),
            (#"{"errors": [{"status": "422", "title": "Invalid", "detail": "No."}]}"#, "No."),
            (#"{"errors": ["No.", "Never."]}"#, "No. Never."), (#"{"detail": "No."}"#, "No."),
            (#"{"type": "about:blank", "title": "Out of Credit", "status": 403, "detail": "No."}"#, "No."),
            (#"{"type": "about:blank", "title": "Out of Credit", "status": 403}"#, "Out of Credit"),
            (#"{"error": {"code": 7}, "title": "No."}"#, "No."), (#"{"message": "No.", "errors": ["a"]}"#, "No."),
            (#"{"errors": [{"code": 7}]}"#, nil), (#"{"things": [{"title": "A book"}]}"#, nil),
            (#"{"error": "invalid_client", "error_description": "Who?"}"#, "invalid_client: Who?"),
            (#"{"error": "E7", "message": "No."}"#, "No."), (#"{"message": 7, "title": "Closed"}"#, "Closed"),
            (#"{"error": [["No."]]}"#, nil), (#"{"error": ["No.", 7]}"#, nil), (#"{"errors": []}"#, nil),
            (#"{"code": 7}"#, nil), ("<p>No.</p>", nil), (#"{"error_description": "c", "x": 1}"#, "c"),
            (#"{"non_field_errors": ["f", "g"]}"#, "f g"),
            (#"{"attribute": ["This field is required."]}"#, "attribute: This field is required."), (#""h""#, "h"),
            ("plain  text\n", "plain  text\n"),
        ])
    func places(json: String, message: String?) async throws {
        #expect(try await error(.text(json, status: 400)).message == message)
    }

    @Test(
        "An error doesn't quote a web page or an empty response",
        arguments: ["<html>secret</html>", "  \n<!DOCTYPE html>secret", ""])
    func webPage(body: String) async throws {
        let error = try await error(.text(body, status: 502))
        #expect(error.description.hasSuffix("thing/ failed: the service answered 502. Try again later."))
        // The body isn't quoted either if a client's own `findMessage` closure returns it.
        #expect(ServiceMessage.line(body) == nil)
    }

    @Test("An unexpected key in an unreadable response is shortened and shown on one line without invisible characters")
    func names() async throws {
        things.respond(.json(.object(["\u{1B}[31m\n\u{202E}\(String(repeating: "x", count: 500))": 7])))
        let error = await things.client().send(Endpoint<[String: Bool]>(.get, "thing/")).failure()
        let text = "\(String(describing: error))"
        #expect(text.contains("the response's [31m xxx") && text.contains("xxx… is unexpected"))
        #expect(!text.unicodeScalars.contains { CharacterSet.controlCharacters.contains($0) })
    }

    @Test("JSON keys with thousands of combining marks don't slow down the search for a message")
    func marks() async throws {
        // Comparing strings sorts the combining marks of each letter, which takes quadratic time. So the client reads keys
        // with no more than thirty marks in a row.
        let marks = String(repeating: "\u{301}\u{323}", count: 120_000)
        let body = #"{"token\#(marks)": ["no such word"], "token\#(marks)b": ["kqzx78"]}"#
        let error = try await error(.text(body, status: 400))
        #expect(error.message?.contains("no such word") == true && error.message?.contains("kqzx78") == false)
        let letters = error.message?.unicodeScalars.split { $0.properties.canonicalCombiningClass == .notReordered }
        #expect(letters?.map(\.count).max() == 30)
    }

    @Test("A failed response of up to 1 MiB is searched for a message; a larger one isn't")
    func size() async throws {
        let long = try await error(.text("No. \(String(repeating: "a", count: 1 << 20 - 4))", status: 400))
        let longer = try await error(.text("No. \(String(repeating: "a", count: 1 << 20 - 3))", status: 400))
        #expect(long.description.contains("saying “No. aaa"))
        #expect(longer.description.hasSuffix("the service answered 400."))
    }

    @Test("Headers are printed without secrets and without invisible characters")
    func headers() {
        let headers: HeaderFields = [
            "Accept": "text/plain", "Set-Cookie": "a=b", "Location": "app://back?code=x&state=s",
            "X-Words": "a\u{1B}[1m\u{202E}b",
        ]
        #expect("\(headers)" == "[Accept: text/plain, Set-Cookie: …, Location: …, X-Words: a[1mb]")
        #expect(headers["set-cookie"] == "a=b")
        // Names are compared case-insensitively for letters only: “^” and “~” differ like a letter's two cases, but
        // aren't equal.
        let ends: HeaderFields = ["AZ": "1", "^": "2"]
        #expect(ends["az"] == "1" && ends["~"] == nil)
    }
}
