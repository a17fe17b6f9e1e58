import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Adapting requests", .serialized)
final class AdaptTests: ThingSuite {
    private struct Refused: Error, CustomStringConvertible {
        var description: String
    }

    @Test(
        "The adapt closure runs once per attempt or redirect; it gets the current token and URL, and none of its earlier changes"
    )
    func everySending() async throws {
        things.respond(.empty(503), .empty(401), .empty(302, headers: ["Location": "/other/"]))
        let seen = Recorder<String>()
        let client = things.client(.source(NumberedTokens())) {
            $0.adapt = { request in
                seen.append("\(request.headers["Authorization"] ?? "") \(request.headers["X-Trace"] ?? "-")")
                request.headers["X-Trace"] = "\(request.url.path) \(seen.all.count)"
            }
        }
        _ = try await client.get().value
        #expect(seen.all == ["Bearer token-1 -", "Bearer token-1 -", "Bearer token-2 -", "Bearer token-2 -"])
        let sent = things.server.requests.map { $0.headers["X-Trace"] ?? "" }
        #expect(sent == ["/thing 1", "/thing 2", "/thing 3", "/other 4"])
    }

    private enum Trace {
        @TaskLocal static var name = "none"
    }

    @Test(
        "The caller's task-local values are visible in the first call of the adapt closure, but not in later closures")
    func taskLocal() async throws {
        things.respond(.empty(503))
        let seen = Recorder<String>()
        let client = things.client { $0.adapt = { _ in seen.append(Trace.name) } }
        try await Trace.$name.withValue("mine") {
            try await client.get().done { _ in seen.append("then \(Trace.name)") }.value
        }
        #expect(seen.all == ["mine", "none", "then none"])
    }

    @Test("The adapt closure can replace the body and add a signature; an error that quotes the signature hides it")
    func signature() async throws {
        things.server.script.next { request in
            .json(["detail": .string("wrong: \(request.headers["X-Signature"] ?? "")")], status: 400)
        }
        let client = things.client {
            $0.adapt = { request in
                request.headers["X-Signature"] = "kqzx-\(request.body?.count ?? 0)-78"
                request.body = Data("[]".utf8)
            }
        }
        let error = await client.send(ThingServer.Call.unrepeatable.endpoint).failure()
        let request = try #require(things.server.requests.first)
        #expect(request.headers["X-Signature"] == "kqzx-2-78" && String(decoding: request.body, as: UTF8.self) == "[]")
        #expect((error as? ExchangeError)?.message == "…" && !"\(String(describing: error))".contains("kqzx"))
    }

    @Test("If the adapt closure throws or makes the request invalid, nothing is sent, and the error contains no secret")
    func failures() async throws {
        let held = HeldTransport()
        let rows: [(String, @Sendable (inout OutgoingRequest) throws -> Void)] = [
            ("thing/ failed: there is no key.", { _ in throw Refused(description: "there is no key") }),
            ("thing/ failed: ….", { throw Refused(description: "no \($0.headers["Authorization"] ?? "")") }),
            (
                "“adapt” changed its origin, which must stay that of the base URL",
                { $0.url = try #require(URL(string: "https://evil.example/")) }
            ),
            (
                "the header X-Trace contains a character that is not allowed",
                { $0.headers["X-Trace"] = "a\r\nX-Evil: 1" }
            ),
        ]
        for (words, adapt) in rows {
            let error = try await failure(by: .bearer("kqzx-78")) { ($0.adapt, $0.transport) = (adapt, held) }
            #expect(error.description.contains(words))
        }
        #expect(held.sent == 0)
    }
}
