import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Endpoints and their client", .serialized)
struct EndpointClientTests {
    /// A transport that returns one response to every request and records the requests.
    private final class Canned: HTTPTransport {
        let reply: @Sendable (OutgoingRequest) -> Promise<HTTPReply>
        let sent = Locked<[OutgoingRequest]>([])

        init(_ reply: @escaping @Sendable (OutgoingRequest) -> Promise<HTTPReply>) { self.reply = reply }

        func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
            sent.withLock { $0.append(request) }
            return reply(request)
        }
    }

    private struct Greeting: Decodable, Sendable, Equatable {
        var word: String
    }

    private func client(_ transport: Canned, authorizer: Authorizer = .none) throws -> EndpointClient {
        var options = EndpointClient.Options()
        options.retry = .never
        options.transport = transport
        return EndpointClient(
            baseURL: try #require(URL(string: "https://service.example/api/")), authorizer: authorizer, options: options
        )
    }

    private func canned(_ status: Int, _ body: String, _ headers: HeaderFields = [:]) -> Canned {
        Canned { .value(HTTPReply(url: $0.url, status: status, headers: headers, body: Data(body.utf8))) }
    }

    @Test("An endpoint becomes a request, and its response a value")
    func send() async throws {
        let transport = canned(200, #"{"word": "hi"}"#)
        var query = QueryItems()
        query.add("q", "a b")

        let answer = try await client(transport, authorizer: .bearer("t0k3n"))
            .send(Endpoint<Greeting>(.get, "greeting/", query: query)).value

        #expect(answer.value == Greeting(word: "hi"))
        let request = try #require(transport.sent.withLock { $0.first })
        #expect(request.url.absoluteString == "https://service.example/api/greeting/?q=a%20b")
        #expect(request.headers["Authorization"] == "Bearer t0k3n")
        #expect("\(request) \(String(reflecting: request))".contains("t0k3n") == false)
    }

    @Test("Every request names the user agent, language, and format, whatever the transport's defaults")
    func introduction() async throws {
        for kind in StandardTransport.Kind.allCases {
            let server = SandboxServer(routes: [SandboxRoute("GET /greeting/") { _ in .json(["word": "hi"]) }])
            try server.start()
            defer { server.stop() }
            let client = EndpointClient(
                baseURL: server.baseURL,
                options: EndpointClient.Options().with { $0.transport = StandardTransport(kind) })

            _ = try await client.send(Endpoint<Greeting>(.get, "greeting/")).value

            let headers = try #require(server.requests.first?.headers)
            #expect(headers["User-Agent"] == "Pledge/1")
            #expect(headers["Accept-Language"] == "en")
            #expect(headers["Accept"] == "application/json")
        }
    }

    @Test("A form is sent percent-encoded, with its content type")
    func form() async throws {
        let transport = canned(200, #"{"word": "hi"}"#)
        var items = QueryItems()
        items.add("password", "a+b&c")

        _ = try await client(transport).send(Endpoint<Greeting>(.post, "token/", body: .form(items))).value

        let request = try #require(transport.sent.withLock { $0.first })
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == "password=a%2Bb%26c")
    }

    @Test(
        "A web page or an empty response is not quoted in the error",
        arguments: ["<html>secret</html>", "  \n<!DOCTYPE html>secret", ""])
    func webPage(body: String) async throws {
        let client = try client(canned(502, body))

        let error = await thrown(ExchangeError.self) {
            try await client.send(Endpoint<Greeting>(.get, "greeting/")).value
        }

        #expect(
            error?.description
                == "GET https://service.example/api/greeting/ failed: the service answered 502. Try again later.")
    }

    @Test("An error contains the URL without its query")
    func redactedAddress() async throws {
        let client = try client(Canned { _ in Promise(error: TransportError.connectionLost("reset")) })
        var query = QueryItems()
        query.add("code", "s3cr3t")

        let error = await thrown(ExchangeError.self) {
            try await client.send(Endpoint<Greeting>(.get, "greeting/", query: query)).value
        }

        #expect(
            error?.description
                == "GET https://service.example/api/greeting/ failed: the connection was lost (reset). "
                + "Try again; for a write, first check whether it was done.")
        #expect("\(String(reflecting: error))".contains("s3cr3t") == false)
    }

    @Test("Canceling a call cancels the transport's promise")
    func cancel() async throws {
        let (begun, begin) = Promise<Void>.pending()
        let (stopped, stop) = Promise<Void>.pending()
        let client = try client(
            Canned { _ in
                Promise { seal in
                    seal.onCancel { withExtendedLifetime(seal) { stop.fulfill() } }
                    begin.fulfill()
                }
            })
        let call = client.send(Endpoint<Greeting>(.get, "greeting/"))
        try await begun.value

        call.cancel()

        try await stopped.value
        await #expect(throws: PromiseError.cancelled) { try await call.value }
    }
}
