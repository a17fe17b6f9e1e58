import Foundation
import PledgeHTTP
import PledgeSandbox
import Testing

@Suite("Endpoints and their client", .serialized)
struct EndpointClientTests {
    private let things: ThingServer
    init() throws { things = try ThingServer() }

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
