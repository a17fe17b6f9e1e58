import Foundation

/// A call to a service as a value: what to ask, and how to read the answer. It does no I/O.
///
/// ```swift
/// let profile = Endpoint<User>(.get, "accounts/profile/")
/// ```
public struct Endpoint<Response: Sendable>: Sendable {
    /// What is sent along.
    public enum Body: Sendable {
        /// JSON, already encoded.
        case json(Data)
        /// A form.
        case form(QueryItems)
    }

    /// The verb.
    public var method: HTTPMethod
    /// The path, relative to the client's base address, already escaped. Errors and events show it, so it is no place
    /// for a secret.
    public var path: String
    /// What follows the `?`.
    public var query: QueryItems
    /// What is sent along.
    public var body: Body?
    /// Whether sending it twice does no more than sending it once.
    public var isRepeatable: Bool
    /// Whether a reply is an answer rather than an error: by default, whether its status is 2xx.
    public var accepts: @Sendable (HTTPReply) -> Bool = { 200..<300 ~= $0.status }
    /// Turns an accepted reply into the response; runs off the transport's threads.
    public var decode: @Sendable (HTTPReply) throws -> Response

    /// An endpoint with its own way to read a reply.
    ///
    /// - Parameters:
    ///   - method: the verb.
    ///   - path: relative to the client's base address.
    ///   - query: what follows the `?`.
    ///   - body: what is sent along.
    ///   - isRepeatable: whether sending it twice does no more than once; by default what HTTP says of the verb.
    ///   - decode: reads an accepted reply.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = QueryItems(), body: Body? = nil,
        isRepeatable: Bool? = nil, decode: @escaping @Sendable (HTTPReply) throws -> Response
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.isRepeatable = isRepeatable ?? method.isIdempotent
        self.decode = decode
    }
}

extension Endpoint where Response: Decodable {
    /// An endpoint that answers with JSON; see ``init(_:_:query:body:isRepeatable:decode:)``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = QueryItems(), body: Body? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.init(method, path, query: query, body: body, isRepeatable: isRepeatable) { reply in
            try JSONReply.decode(Response.self, from: reply)
        }
    }
}

extension Endpoint: CustomStringConvertible, CustomReflectable {
    /// Verb and path: neither what follows the `?` nor what is sent along.
    public var description: String { "\(method) \(path.prefix { $0 != "?" && $0 != "#" })" }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["endpoint": description]) }
}

extension Endpoint.Body: CustomStringConvertible, CustomReflectable {
    /// Of JSON the size, of a form what ``QueryItems`` shows.
    public var description: String {
        switch self {
        case .json(let data): "\(data.count) bytes of JSON"
        case .form(let items): "\(items)"
        }
    }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}
