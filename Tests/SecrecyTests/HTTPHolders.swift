import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport

/// A token source that returns a first token, and a second token to replace it.
private final class Tokens: TokenSource {
    func token() -> Promise<String> { .value("\(Holder.secret)1") }
    func token(replacing rejected: String) -> Promise<String> { .value("\(Holder.secret)2") }
}

/// Keeps a server and the requests to it alive until they have been printed, and then stops the server.
private final class Running: CustomReflectable {
    private let server: LoopbackServer

    init(_ server: LoopbackServer) { self.server = server }

    deinit { server.stop() }

    // Mirrors show nothing of this object, because the server's log contains the requests with their secrets.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Holder {
    private static let headers: HeaderFields = [
        "Authorization": "Bearer \(secret)", "Cookie": "a=\(secret)", "Set-Cookie": "a=\(secret); Path=/",
        "X-Api-Key": secret, "x-auth-token": secret, "Location": "app://back?code=\(secret)", "Accept": "text/plain",
    ]

    private static let items: QueryItems = [
        "code": secret, "client_secret": secret, "refresh_token": secret, "access_token": secret, "password": secret,
        "Token": secret, "grant_type": "password",
    ]

    private static func answering(
        _ respond: @escaping @Sendable (ServerRequest) -> ServerResponse
    ) throws -> LoopbackServer {
        let server = LoopbackServer(routes: [])
        try server.start()
        server.script.next(.max, respond: respond)
        return server
    }

    /// Returns the error of a call that the server refused with a response that repeats everything that was sent.
    private static func refused(_ status: Int = 400) async throws -> ExchangeError? {
        let server = try answering { request in
            let sent = "\(request.headers["Authorization"] ?? "") \(String(decoding: request.body, as: UTF8.self))"
            return ServerResponse(
                status: status, headers: ["X-Echo": sent, "Set-Cookie": "s=\(secret)", "Location": "/\(secret)"],
                body: Data(sent.utf8))
        }
        defer { server.stop() }
        let client = EndpointClient(
            baseURL: server.baseURL, authorizer: .bearer(secret), options: .init().with { $0.timeout = 600 })
        return await client.send(Endpoint<String>(.post, "thing", body: .form(items))).failure() as? ExchangeError
    }

    private static let proxy = ProxyRule(
        environment: ["https_proxy": "http://ann:\(secret)@proxy.example:3128", "no_proxy": "a.example"])

    /// Returns a transport with a request in flight and another request that waits, and options that contain the transport.
    private static func underWay(_ transport: some HTTPTransport) async throws -> Any {
        let (arrived, resolver) = Promise<Void>.pending()
        let server = try answering { _ in
            resolver.fulfill()
            return .silence
        }
        let request = OutgoingRequest(
            method: .post, url: try url("\(server.baseURL)?code=\(secret)"), headers: headers, body: Data(secret.utf8))
        for _ in 0..<2 { transport.send(request).catch { _ in } }
        try await arrived.value
        return [transport, EndpointClient.Options().with { $0.transport = transport }, Running(server)]
    }

    static let http: [Holder] = [
        Holder("HeaderFields, Field, QueryItems, Endpoint, Authorizer, OAuth2Token, EndpointClient, Options") {
            let endpoint = Endpoint<String>(.post, "thing?token=\(secret)", query: items, body: .form(items))
            let authorizers = [Authorizer.bearer(secret), .scheme("Token", secret), .source(Tokens())]
            let token = OAuth2Token(accessToken: secret, refreshToken: secret, scopes: ["read"])
            let base = try url("https://ann:\(secret)@a.example/?token=\(secret)")
            let client = EndpointClient(baseURL: base, authorizer: .bearer(secret))
            let options = EndpointClient.Options().with { $0.headers = headers }
            return [headers, headers.fields, items, endpoint, authorizers, token, client, options] as [Any]
        },
        Holder("EndpointBody, Part") {
            let (data, file) = (Data(secret.utf8), URL(fileURLWithPath: "/\(secret)"))
            let bodies = [
                EndpointBody.form(items), .json(Data(#"{"token": "\#(secret)"}"#.utf8)), .json(["token": secret]),
                .data(data, type: "text/plain"), .multipart([.text("password", secret)]),
                .file(file, type: "text/plain"),
            ]
            let parts = [
                EndpointBody.Part.text("password", secret), .file("key", at: file, type: "text/plain"),
                .file("key", filename: "key.pem", type: "text/plain", data),
            ]
            return [bodies, parts] as [Any]
        },
        Holder("OutgoingRequest, RawResponse, Decoded") {
            let url = try url("https://ann:\(secret)@a.example/?code=\(secret)#\(secret)")
            let request = OutgoingRequest(method: .post, url: url, headers: headers, body: Data(secret.utf8))
            let response = RawResponse(url: url, status: 200, headers: headers, body: Data(secret.utf8))
            return [request, response, Decoded(value: true, response: response)] as [Any]
        },
        Holder("OAuth2Client, Authentication") {
            let tokenURL = try url("https://ann:\(secret)@a.example/token?code=\(secret)")
            let ways: [OAuth2Client.Authentication] = [.form, .header]
            return ways.map { way in
                (OAuth2Client(tokenURL: tokenURL, clientID: "app", clientSecret: secret, authentication: way), way)
            }
        },
        Holder("OAuth2TokenSource, OAuth2TokenFile") {
            let file = OAuth2TokenFile(URL(fileURLWithPath: "/nowhere/tokens.json"))
            let token = OAuth2Token(accessToken: secret, refreshToken: secret)
            return [OAuth2TokenSource(token, in: file) { _ in .value(token) }, file] as [Any]
        },
        Holder("Authorizer after a renewal") {
            let server = try answering { _ in .empty(401) }
            defer { server.stop() }
            let authorizer = Authorizer.source(Tokens())
            let client = EndpointClient(
                baseURL: server.baseURL, authorizer: authorizer, options: .init().with { $0.timeout = 600 })
            _ = await client.send(Endpoint<String>(.get, "thing")).failure()
            return [authorizer, client]
        },
        Holder("RateLimiter, RetryRule, JSONCoding, ProxyRule") {
            [RateLimiter(limit: 1), RetryRule(), JSONCoding.plain, proxy] as [Any]
        },
        Holder("StandardTransport") { try await underWay(StandardTransport(requestsInFlight: 1, proxy: proxy)) },
        Holder("URLSessionTransport") { try await underWay(URLSessionTransport(connectionsPerHost: 1)) },
        Holder("ExchangeError, Reason, RequestContext") {
            let error = try await refused()
            return [error as Any, error?.reason as Any, error?.context as Any, try await refused(307) as Any]
        },
        Holder("ExchangeEvent") {
            let events = Recorder<ExchangeEvent>()
            let server = try answering { request in
                request.target == "/thing" ? .empty(302, headers: ["Location": "/\(secret)?code=\(secret)"]) : .drop
            }
            defer { server.stop() }
            let options = EndpointClient.Options().with {
                ($0.observer, $0.retry, $0.timeout) = ({ events.append($0) }, .never, 600)
            }
            let client = EndpointClient(baseURL: server.baseURL, authorizer: .bearer(secret), options: options)
            _ = await client.send(Endpoint<String>(.get, "thing")).failure()
            return events.all
        },
    ]

    #if os(Linux)
        static let curl = [
            Holder("CurlTransport") {
                var options = CurlTransport.Options()
                (options.requestsInFlight, options.proxy) = (1, proxy)
                return [try await underWay(try CurlTransport(options)), options]
            }
        ]
    #else
        static let curl = [Holder("CurlTransport") { "only on Linux" }]
    #endif
}
