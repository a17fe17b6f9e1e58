import Dispatch
import Foundation
import Pledge

/// Sends endpoints to a service: base address, credential and transport in one value.
public struct EndpointClient: Sendable {
    /// Where paths start; ends in a slash.
    public let baseURL: URL
    private let transport: any HTTPTransport
    private let authorizer: Authorizer
    private let timeout: TimeInterval
    private let userAgent: String

    // Decoding costs several times the exchange itself, so it has neither the transport's threads nor the default
    // executor, on which everybody's handlers wait.
    private static let decoding = DispatchQueue(label: "pledge.decoding", qos: .userInitiated, attributes: .concurrent)

    /// A client.
    ///
    /// - Parameters:
    ///   - baseURL: where paths start: `https`, or `http` on this machine.
    ///   - transport: what carries the requests.
    ///   - authorizer: the credential.
    ///   - timeout: seconds for a whole exchange.
    ///   - userAgent: how to introduce oneself.
    public init(
        baseURL: URL, transport: any HTTPTransport, authorizer: Authorizer = .none, timeout: TimeInterval = 30,
        userAgent: String = "Pledge/1"
    ) {
        self.baseURL = baseURL
        self.transport = transport
        self.authorizer = authorizer
        self.timeout = timeout
        self.userAgent = userAgent
    }

    /// Sends an endpoint and reads the reply.
    ///
    /// - Returns: the response, and the reply it was read from.
    /// - Rejects: with ``ExchangeError``.
    /// - Cancellation: closes the exchange.
    public func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Answer<Response>> {
        let request: OutgoingRequest
        do {
            request = try outgoing(endpoint)
        } catch {
            return Promise(error: error)
        }
        let scene = ExchangeError.Scene(method: request.method, url: request.url.redacted)
        return transport.send(request).mapError { error in
            ExchangeError(error, scene: scene)
        }.map(on: Self.decoding) { reply in
            guard endpoint.accepts(reply) else { throw ExchangeError(reply, scene: scene) }
            do {
                return Answer(value: try endpoint.decode(reply), reply: reply)
            } catch {
                throw ExchangeError(unreadable: reply, because: error, scene: scene)
            }
        }
    }

    private func outgoing<Response>(_ endpoint: Endpoint<Response>) throws -> OutgoingRequest {
        let address =
            baseURL.absoluteString + endpoint.path + (endpoint.query.isEmpty ? "" : "?\(endpoint.query.encoded)")
        let scene = ExchangeError.Scene(method: endpoint.method, url: baseURL.redacted + endpoint.path)
        guard let url = URL(string: address), let scheme = url.scheme, url.host != nil else {
            throw ExchangeError(.badRequest("the address cannot be read"), scene: scene)
        }
        guard scheme == "https" || (scheme == "http" && url.isLoopback) else {
            throw ExchangeError(.badRequest("a token must not travel over \(scheme): use https"), scene: scene)
        }
        var headers: HeaderFields = ["Accept": "application/json", "User-Agent": userAgent]
        var body: Data?
        switch endpoint.body {
        case .json(let data):
            headers["Content-Type"] = "application/json"
            body = data
        case .form(let items):
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = Data(items.encoded.utf8)
        case nil: break
        }
        if let value = authorizer.headerValue() {
            // Foundation would drop such a header in silence, and the service would say "no token".
            guard value.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }), !value.hasSuffix(" ") else {
                throw ExchangeError(
                    .badRequest("the token is empty, or holds a line break or another character no token can have"),
                    scene: scene)
            }
            headers["Authorization"] = value
        }
        return OutgoingRequest(method: endpoint.method, url: url, headers: headers, body: body, timeout: timeout)
    }
}

/// A response, and the reply it was read from.
public struct Answer<Response: Sendable>: Sendable {
    /// What the endpoint promises.
    public var value: Response
    /// Status, headers and bytes as received.
    public var reply: HTTPReply

    /// An answer.
    public init(value: Response, reply: HTTPReply) {
        self.value = value
        self.reply = reply
    }
}
