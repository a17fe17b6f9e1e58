import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

/// The outcome of every fault for a GET, for a POST that may be repeated, and for a POST that may not be repeated. The
/// article "When things go wrong" contains this table.
@Suite("Outcomes of faults", .serialized)
struct FaultTableTests {
    /// A fault of a service or of the connection to it.
    struct Fault: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var times: Int
        var response: @Sendable () -> ServerResponse
        /// The outcomes of a GET, of a repeatable POST, and of an unrepeatable POST. If the initializer gets one
        /// outcome, all three requests have it. If it gets two, the GET and the repeatable POST have the first one.
        var outcomes: [String]

        init(
            _ name: String, times: Int = .max, _ response: @escaping @Sendable @autoclosure () -> ServerResponse,
            _ outcomes: String...
        ) {
            (testDescription, self.times, self.response) = (name, times, response)
            self.outcomes = outcomes.count < 3 ? [outcomes[0], outcomes[0], outcomes.last ?? ""] : outcomes
        }
    }

    static func status(
        _ code: Int, _ headers: ServerHeaders = [:], _ body: String = #"{"detail": "No."}"#
    ) -> ServerResponse {
        var headers = headers
        headers["Content-Type"] = body.hasPrefix("<") ? "text/html" : "application/json"
        return ServerResponse(status: code, headers: headers, body: Data(body.utf8))
    }

    static let faults: [Fault] = [
        Fault("401 once", times: 1, status(401), "value, sent 2"),
        Fault("401 for ever", status(401), "status 401, sent 2"),
        Fault("403", status(403), "status 403, sent 1"),
        Fault("403 once, Retry-After 7", times: 1, status(403, ["Retry-After": "7"]), "value, sent 2, waited 7"),
        Fault(
            "403 once, X-RateLimit-Remaining 0, X-RateLimit-Reset in 9 s", times: 1,
            status(403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000009"]), "value, sent 2, waited 9"),
        Fault("404", status(404), "status 404, sent 1"),
        Fault("409", status(409), "status 409, sent 1"),
        Fault("429 once, Retry-After 7", times: 1, status(429, ["Retry-After": "7"]), "value, sent 2, waited 7"),
        Fault("429 for ever, Retry-After 7", status(429, ["Retry-After": "7"]), "status 429, sent 3, waited 14"),
        Fault(
            "429 once, Retry-After as a date", times: 1, status(429, ["Retry-After": "Tue, 14 Nov 2023 22:13:30 GMT"]),
            "value, sent 2, waited 10"),
        Fault(
            "429 once, RateLimit-Reset 9", times: 1,
            status(429, ["RateLimit-Limit": "300", "RateLimit-Remaining": "0", "RateLimit-Reset": "9"]),
            "value, sent 2, waited 9"),
        Fault("429, Retry-After 3600", status(429, ["Retry-After": "3600"]), "status 429, sent 1"),
        Fault("429 without headers", .empty(429), "status 429, sent 1"),
        Fault("500 once", times: 1, status(500), "value, sent 2, waited 0.5", "status 500, sent 1"),
        Fault("500 for ever", status(500), "status 500, sent 3, waited 1.5", "status 500, sent 1"),
        Fault("502 once", times: 1, status(502, [:], "<html>"), "value, sent 2, waited 0.5", "status 502, sent 1"),
        Fault("502 for ever", status(502, [:], "<html>"), "status 502, sent 3, waited 1.5", "status 502, sent 1"),
        Fault(
            "503 once, Retry-After 2", times: 1, status(503, ["Retry-After": "2"]), "value, sent 2, waited 2",
            "status 503, sent 1"),
        Fault("503 for ever", status(503), "status 503, sent 3, waited 1.5", "status 503, sent 1"),
        Fault(
            "200 with a web page", status(200, [:], "<!doctype html>"), "unreadable: web page, sent 2, waited 0.5",
            "unreadable: web page, sent 1"),
        Fault("200 with another content type", .text(#"{"ok": true}"#), "value, sent 1"),
        Fault(
            "200 with nothing", .empty(200), "unreadable: no content, sent 2, waited 0.5",
            "unreadable: no content, sent 1"),
        Fault(
            "200 with JSON cut off", status(200, [:], #"{"ok": tr"#), "unreadable: not JSON, sent 2, waited 0.5",
            "unreadable: not JSON, sent 1"),
        Fault("200 with other JSON", status(200, [:], "{}"), "unreadable: unexpected, sent 1"),
        Fault("300", status(300), "status 300, sent 1"),
        Fault(
            "redirect, same origin", times: 1, .empty(302, headers: ["Location": "/other/"]), "value, sent 2",
            "redirected, sent 1", "redirected, sent 1"),
        Fault(
            "redirect, other origin", .empty(307, headers: ["Location": "https://elsewhere.example/"]),
            "redirected, sent 1"),
        Fault(
            "redirect, other port", .empty(308, headers: ["Location": "http://127.0.0.1:1/thing/"]),
            "redirected, sent 1"),
        // The test replaces PORT with its server's port.
        Fault(
            "redirect, same origin, with a user name",
            .empty(301, headers: ["Location": "http://api.example.com@127.0.0.1:PORT/other/"]), "redirected, sent 1"),
        Fault(
            "redirect in a circle", .empty(301, headers: ["Location": "http://127.0.0.1:PORT/thing/"]),
            "redirected, sent 4", "redirected, sent 1", "redirected, sent 1"),
        Fault("connection lost once", times: 1, .drop, "value, sent 2, waited 0.5", "lost, sent 1"),
        Fault("connection lost for ever", .drop, "lost, sent 3, waited 1.5", "lost, sent 1"),
    ]

    @Test("Each fault of a service has the outcome that the table lists for each kind of request", arguments: faults)
    func outcome(fault: Fault) async throws {
        for (call, expected) in zip(ThingServer.Call.allCases, fault.outcomes) {
            let things = try ThingServer()
            let address = things.server.baseURL
            things.server.script.next(fault.times) { _ in
                var response = fault.response()
                let target = response.headers["Location"]?.replacing("PORT", with: "\(address.port ?? 0)")
                if let target { response.headers["Location"] = target }
                return response
            }
            let result = await things.client(.source(NumberedTokens())).send(call.endpoint).settled().value
            let sent = things.server.requests.count
            let waited = things.clock.waits.reduce(0, +)
            let words = "\(word(for: result)), sent \(sent)" + (waited > 0 ? ", waited \(waited.formatted)" : "")
            #expect(words == expected, "\(fault.testDescription) × \(call.rawValue)")
            if case .failure(let error as ExchangeError) = result {
                #expect(error.description.contains("\(call.endpoint.method) \(address)thing/ failed"))
                #expect(!"\(error)".contains("token-"))
            }
        }
    }

    @Test("The article “When things go wrong” contains every row of the table of faults")
    func article() throws {
        let text = try Repository.text("Sources/PledgeHTTP/PledgeHTTP.docc/WhenThingsGoWrong.md")
        for fault in Self.faults {
            let row = "| \(fault.testDescription) | \(fault.outcomes.joined(separator: " | ")) |"
            #expect(text.contains(row), "missing: \(row)")
        }
    }

    private func word(for result: Result<Decoded<ThingServer.Thing>, any Error>) -> String {
        guard case .failure(let error) = result else { return "value" }
        guard let error = error as? ExchangeError else { return "\(error)" }
        switch error.reason {
        case .status(let code): return "status \(code)"
        case .redirected: return "redirected"
        case .transport(.connectionLost): return "lost"
        case .unreadable(.html): return "unreadable: web page"
        case .unreadable(.empty): return "unreadable: no content"
        case .unreadable(.notJSON): return "unreadable: not JSON"
        case .unreadable(.unexpected): return "unreadable: unexpected"
        default: return "\(error)"
        }
    }
}

extension Double {
    fileprivate var formatted: String { self == rounded() ? String(Int(self)) : String(self) }
}
