import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("Headers that only a transport may set", .serialized)
final class TransportHeaderTests: ThingSuite {
    static let names = [
        "Content-Length", "content-length", "Transfer-Encoding", "TRANSFER-ENCODING", "Host", "Connection", "Expect",
        "TE", "Trailer", "Upgrade", "Keep-Alive", "Proxy-Connection", "proxy-authorization", "Proxy-",
    ]

    @Test(
        "A header that frames or routes a message is refused in endpoints, options, and adapt closures before sending",
        arguments: names)
    func refused(name: String) async throws {
        let held = HeldTransport()
        let clock = ManualTimekeeper()
        let field: HeaderFields = ["X-A": "1", name: "0"]
        let calls = [
            held.client(clock).send(Endpoint<Void>(.post, "a", headers: field, body: .json([1]))),
            held.client(clock) { $0.headers = field }.send(Endpoint<Void>(.post, "a")),
            held.client(clock) { $0.adapt = { $0.headers[name] = "0" } }.send(Endpoint<Void>(.post, "a")),
        ]
        for call in calls {
            let error = try #require(await call.failure() as? ExchangeError)
            guard case .badRequest(let problem) = error.reason else { throw error }
            #expect(
                problem == "the header \(name) frames or routes the message, and only the transport may set it: remove "
                    + "it")
            #expect(error.kind == .invalidArgument && error.attempts == 0)
        }
        #expect(held.sent == 0)
        for kind in StandardTransport.Kind.allCases {
            let request = OutgoingRequest(url: things.server.baseURL, headers: field)
            let error = await StandardTransport(kind).send(request).failure() as? TransportError
            guard case .unsendable(let detail)? = error else { throw error ?? Fault.one }
            #expect(detail.contains("the header \(name) "))
        }
        #expect(things.server.requests.isEmpty)
    }

    @Test("The scheme of a credential can't inject a header", arguments: ["Bearer\r\nX-Evil: 1\r\nX-A:", "é"])
    func scheme(scheme: String) async throws {
        let held = HeldTransport()
        let options = EndpointClient.Options().with { $0.transport = held }
        let client = EndpointClient(
            baseURL: things.server.baseURL, authorizer: .scheme(scheme, "t0k3n"), options: options)
        let error = try #require(await client.send(Endpoint<Void>(.get, "a")).failure() as? ExchangeError)
        guard case .credential(CredentialError.malformed) = error.reason else { throw error }
        #expect(held.sent == 0)
    }

    @Test(
        "A header whose name only resembles that of a transport header is sent",
        arguments: [
            "Upgrade-Insecure-Requests", "Host-Name", "X-Host", "X-Proxy-Authorization", "Content-Length-Hint",
            "Proxy", "Trailers", "T",
        ])
    func sent(name: String) async throws {
        things.respond(.empty(204))
        try await things.client().value(of: Endpoint<Void>(.get, "thing/", headers: [name: "1"])).value
        #expect(things.server.requests.map { $0.headers[name] } == ["1"])
    }
}
