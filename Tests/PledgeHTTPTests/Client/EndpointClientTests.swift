import Foundation
import PledgeHTTP
import PledgeSandbox
import Testing

@Suite("Endpoints and their client", .serialized)
struct EndpointClientTests {
    private let things: ThingServer
    init() throws { things = try ThingServer() }

    @Test("An endpoint becomes a request, and its response a value")
    func send() async throws {
        let endpoint = Endpoint<ThingServer.Thing>(.get, "thing/", query: ["q": "a b"])

        let answer = try await things.client(.bearer("t0k3n")).send(endpoint).value

        #expect(answer.value == ThingServer.Thing(ok: true) && answer.reply.status == 200)
        let request = try #require(things.server.requests.first)
        #expect("\(request.method) \(request.target)" == "GET /thing/?q=a%20b")
        #expect(request.headers["Authorization"] == "Bearer t0k3n")
    }

    @Test(
        "Every request names the user agent, language, and format, whatever the transport's defaults",
        arguments: StandardTransport.Kind.allCases)
    func introduction(kind: StandardTransport.Kind) async throws {
        _ = try await things.client(transport: StandardTransport(kind)).get().value

        let headers = try #require(things.server.requests.first?.headers)
        #expect(headers["User-Agent"] == "Pledge/1")
        #expect(headers["Accept-Language"] == "en")
        #expect(headers["Accept"] == "application/json")
    }
}
