import Foundation
import PledgeCoding

/// A call to a service as a value: the request to send and how to decode the response. It performs no I/O.
///
/// ```swift
/// let profile = Endpoint<User>(.get, "accounts/profile/")
/// ```
public struct Endpoint<Response: Sendable>: Sendable {
    /// The type of a request's body.
    public typealias Body = EndpointBody

    /// The HTTP method of the request.
    public var method: HTTPMethod
    /// The path relative to the client's base URL, already percent-encoded, with or without a leading slash. Errors and
    /// events include it, so it must not contain a secret.
    public var path: String
    /// The query of the URL, after the question mark.
    public var query: QueryItems
    /// The headers of this call, which replace the client's headers of the same name. The credential is the client's.
    public var headers: HeaderFields
    /// The body of the request, if any.
    public var body: Body?
    /// Whether sending the request twice has the same effect as sending it once.
    public var isRepeatable: Bool
    /// The time limit for one attempt, in seconds, for a call that takes longer than others; nil for the client's.
    public var timeout: TimeInterval?
    /// Whether a response counts as a success. The default accepts every 2xx status code.
    public var accepts: @Sendable (RawResponse) -> Bool = { 200..<300 ~= $0.status }
    /// Whether a response that is not accepted still counts as a success if it can be decoded. By default, none does.
    public var acceptsIfReadable: @Sendable (RawResponse) -> Bool = { _ in false }
    /// A closure that decodes an accepted response, its JSON according to the client's ``EndpointClient/Options/json``.
    /// It does not run on the transport's threads.
    public var read: @Sendable (RawResponse, JSONCoding) throws -> Response
    /// Replaces the service's messages in a result by what may be shown: on one line, and none that repeats a secret.
    package var replaceMessages: (@Sendable (_ response: inout Response, _ shown: (String) -> String) -> Void)?

    /// Creates an endpoint with a closure that decodes an accepted response; see ``RawResponse/json(_:by:)``. The other
    /// parameters are the properties of the same names; if `isRepeatable` is nil, the method determines it.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil, decode: @escaping @Sendable (RawResponse) throws -> Response
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable ?? method.isIdempotent
        read = { @Sendable response, _ in try decode(response) }
    }
}

extension Endpoint where Response: Decodable {
    /// Creates an endpoint with a JSON response; see ``init(_:_:query:headers:body:isRepeatable:decode:)``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.init(method, path, query: query, headers: headers, body: body, isRepeatable: isRepeatable) {
            try $0.json()
        }
        read = { @Sendable response, coding in try response.json(by: coding) }
    }
}

extension Endpoint where Response == Void {
    /// Creates an endpoint that ignores the content of the response. See
    /// ``init(_:_:query:headers:body:isRepeatable:decode:)``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.init(method, path, query: query, headers: headers, body: body, isRepeatable: isRepeatable) { _ in }
    }
}

/// The type of a response that is not declared. Write `Endpoint<Book>(…)`, or `Endpoint<Void>(…)` if none is wanted.
///
/// Without it, Swift would take `Endpoint(.get, "books")` for an `Endpoint<Void>` wherever nothing else determines the
/// type, and the response would be ignored. With it, that is an error: “ambiguous use of 'init'”.
public enum UndeclaredResponse: Sendable {}

extension Endpoint where Response == UndeclaredResponse {
    /// Makes `Endpoint(.get, "books")` ambiguous where nothing determines its type; see ``UndeclaredResponse``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.init(method, path, query: query, headers: headers, body: body, isRepeatable: isRepeatable) { _ in
            throw UnreadableResponse.empty
        }
    }
}

extension Endpoint {
    /// The path without leading slashes, as the base URL ends in one.
    var relativePath: Substring { path.drop { $0 == "/" } }
    /// The part that may be shown: a query may contain a secret.
    var shownPath: Substring { relativePath.prefix { $0 != "?" && $0 != "#" } }
}

extension Endpoint: Redacted {
    /// The method and path, without the query and the body.
    public var description: String { "\(method) \(shownPath)" }
}
