import Foundation
import PledgeCoding

/// A call to a service as a value: what to ask, and how to read the answer. It does no I/O.
///
/// ```swift
/// let profile = Endpoint<User>(.get, "accounts/profile/")
/// ```
public struct Endpoint<Response: Sendable>: Sendable {
    /// What is sent along.
    public typealias Body = EndpointBody

    /// The verb of the request line.
    public var method: HTTPMethod
    /// The path, relative to the client's base address, already escaped. Errors and events show it, so it is no place
    /// for a secret.
    public var path: String
    /// What follows the question mark of the address.
    public var query: QueryItems
    /// Header lines of this call alone, instead of the client's of the same name. The credential is the client's.
    public var headers: HeaderFields
    /// What is sent along.
    public var body: Body?
    /// Whether sending it twice does no more than sending it once.
    public var isRepeatable: Bool
    /// Whether a reply is an answer rather than an error: by default, whether its status is 2xx.
    public var accepts: @Sendable (HTTPReply) -> Bool = { 200..<300 ~= $0.status }
    /// Whether a reply that is not accepted is an answer all the same if it can be read as one. By default none is.
    public var acceptsIfReadable: @Sendable (HTTPReply) -> Bool = { _ in false }
    /// Turns an accepted reply into the response, its JSON as the client's ``EndpointClient/Options/json`` says; runs off
    /// the transport's threads.
    public var read: @Sendable (HTTPReply, JSONCoding) throws -> Response

    /// An endpoint with its own way to read a reply.
    ///
    /// - Parameters:
    ///   - method: the verb.
    ///   - path: relative to the client's base address.
    ///   - query: what follows the `?`.
    ///   - headers: header lines of this call alone.
    ///   - body: what is sent along.
    ///   - isRepeatable: whether sending it twice does no more than once; by default what HTTP says of the verb.
    ///   - decode: reads an accepted reply; see ``HTTPReply/json(_:by:)``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil, decode: @escaping @Sendable (HTTPReply) throws -> Response
    ) {
        self.init(method, path, query, headers, body, isRepeatable) { reply, _ in try decode(reply) }
    }

    private init(
        _ method: HTTPMethod, _ path: String, _ query: QueryItems, _ headers: HeaderFields, _ body: Body?,
        _ isRepeatable: Bool?, read: @escaping @Sendable (HTTPReply, JSONCoding) throws -> Response
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable ?? method.isIdempotent
        self.read = read
    }

    /// What this endpoint makes of an accepted reply, for tests.
    ///
    /// - Throws: ``UnreadableReply``, or what the endpoint's own way to read throws.
    public func decode(_ reply: HTTPReply, by coding: JSONCoding = .plain) throws -> Response {
        try read(reply, coding)
    }
}

extension Endpoint where Response: Decodable {
    /// An endpoint that answers with JSON; see ``init(_:_:query:headers:body:isRepeatable:decode:)``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.init(method, path, query, headers, body, isRepeatable) { reply, coding in try reply.json(by: coding) }
    }
}

extension Endpoint where Response == Void {
    /// An endpoint that answers that it was done; whatever the reply holds does not matter. See
    /// ``init(_:_:query:headers:body:isRepeatable:decode:)``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.init(method, path, query, headers, body, isRepeatable) { _, _ in }
    }
}

extension Endpoint: Discreet {
    /// Verb and path: neither what follows the `?` nor what is sent along.
    public var description: String { "\(method) \(path.prefix { $0 != "?" && $0 != "#" })" }
}
