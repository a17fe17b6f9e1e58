import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import Testing

@Suite("Requests over URLSession")
struct URLSessionTransportTests {
    private func server(_ respond: @escaping @Sendable (SandboxRequest) -> SandboxResponse) throws -> SandboxServer {
        let server = SandboxServer(routes: [
            SandboxRoute("GET /", respond: respond), SandboxRoute("POST /", respond: respond),
        ])
        try server.start()
        return server
    }

    @Test("Method, headers and body arrive as given, and so does the reply")
    func exchange() async throws {
        let server = try server { request in
            SandboxResponse(status: 201, headers: ["X-Echo": request.headers["X-Word"] ?? ""], body: request.body)
        }
        defer { server.stop() }
        let request = OutgoingRequest(
            method: .post, url: server.baseURL, headers: ["X-Word": "hello"], body: Data("körper".utf8))

        let reply = try await URLSessionTransport.shared.send(request).value

        #expect(reply.status == 201)
        #expect(reply.headers["x-echo"] == "hello")
        #expect(String(decoding: reply.body, as: UTF8.self) == "körper")
        #expect(server.requests.count == 1)
    }

    @Test("A redirect is a reply, and is not followed")
    func redirect() async throws {
        let server = try server { _ in .empty(302, headers: ["Location": "http://127.0.0.1:1/elsewhere"]) }
        defer { server.stop() }

        let reply = try await URLSessionTransport.shared.send(OutgoingRequest(url: server.baseURL)).value

        #expect(reply.status == 302)
        #expect(server.requests.count == 1)
    }

    @Test("Cookies are neither kept nor sent")
    func cookies() async throws {
        let server = try server { _ in .empty(200, headers: ["Set-Cookie": "a=b"]) }
        defer { server.stop() }

        for _ in 0..<2 { _ = try await URLSessionTransport.shared.send(OutgoingRequest(url: server.baseURL)).value }

        #expect(server.requests.allSatisfy { $0.headers["Cookie"] == nil })
    }

    @Test("A reply larger than allowed is an error")
    func tooLarge() async throws {
        let server = try server { _ in SandboxResponse(status: 200, body: Data(repeating: 0x20, count: 100_000)) }
        defer { server.stop() }

        await #expect(throws: TransportError.tooLarge(limit: 5_000)) {
            try await URLSessionTransport.shared.send(OutgoingRequest(url: server.baseURL, bodyLimit: 5_000)).value
        }
    }

    @Test("A deadline is kept to the millisecond, below what Foundation can count")
    func deadline() async throws {
        let server = try server { _ in .empty(200).delayed(by: 3600) }
        defer { server.stop() }

        await #expect(throws: TransportError.timedOut(seconds: 0.02)) {
            try await URLSessionTransport.shared.send(OutgoingRequest(url: server.baseURL, timeout: 0.02)).value
        }
    }

    @Test("Many requests at once are all answered")
    func many() async throws {
        let server = try server { .text($0.queryValue("n") ?? "") }
        defer { server.stop() }
        let calls = try (0..<200).map { number in
            let url = try #require(URL(string: "\(server.baseURL)?n=\(number)"))
            return URLSessionTransport.shared.send(OutgoingRequest(url: url)).map {
                String(decoding: $0.body, as: UTF8.self)
            }
        }

        let bodies = try await when(fulfilled: calls).value

        #expect(bodies == (0..<200).map(String.init))
    }
}
