import Foundation
import PledgeCoding

/// A call to a service, as a value that performs no I/O. It says which request to send, and how to decode the response.
///
/// ```swift
/// let profile = Endpoint<User>(.get, "accounts/profile/")
/// ```
public struct Endpoint<Response: Sendable>: Sendable {
    /// The type of a request's body.
    public typealias Body = EndpointBody

    /// The HTTP method of the request.
    public var method: HTTPMethod
    /// The path relative to the client's base URL, with or without a leading slash. Errors and events show the path, so
    /// it must not contain a secret.
    ///
    /// Percent signs are handled in one of two ways. If every percent sign begins an escape, such as `%2F`, the signs
    /// are sent as written. If none of them begins an escape, each is sent as `%25`. A path that mixes both is refused.
    ///
    /// Other characters that a path cannot contain are escaped. The characters `?` and `#` are refused, because a query
    /// belongs in ``query``. The segments `.` and `..` are refused as well.
    ///
    /// The path may also be an absolute URL of the same origin, such as ``RawResponse/link(_:)`` returns. Such a URL is
    /// requested as it is, with its query.
    public var path: String
    /// The query of the URL, after the question mark.
    public var query: QueryItems
    /// The headers of this call. They replace the client's headers with the same names. Only the client sets the
    /// credential, and only the transport sets the headers that frame or route the message; see
    /// ``OutgoingRequest/headers``.
    public var headers: HeaderFields
    /// The body of the request, if any.
    public var body: Body?
    /// Whether sending the request twice has the same effect as sending it once.
    public var isRepeatable: Bool
    /// The time limit for one attempt, in seconds; nil for the client's ``EndpointClient/Options/timeout``. Set it for
    /// a call that takes longer than others.
    public var timeout: TimeInterval?
    /// Whether a response counts as a success. The default accepts every 2xx status code. To accept an error response
    /// only if it can be decoded, try to decode it in this closure; see ``RawResponse/json(_:by:)``.
    public var accepts: @Sendable (RawResponse) -> Bool = { 200..<300 ~= $0.status }
    /// A closure that decodes an accepted response. It decodes JSON according to the client's
    /// ``EndpointClient/Options/json``, and does not run on the transport's threads.
    public var decode: @Sendable (RawResponse, JSONCoding) throws -> Response

    /// The content types that the response may have, unless the client or the call has a header `Accept` of its own.
    var accept = "application/json"

    /// Creates an endpoint with a closure that decodes an accepted response; see ``RawResponse/json(_:by:)``. The other
    /// parameters are the properties with the same names. If `isRepeatable` is nil, the HTTP method determines whether
    /// the request may be repeated.
    ///
    /// ```swift
    /// Endpoint(.get, "books") { response, json in try response.json(Envelope<[Book]>.self, by: json).content }
    /// ```
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil, decode: @escaping @Sendable (RawResponse, JSONCoding) throws -> Response
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable ?? method.isIdempotent
        self.decode = decode
    }
}

extension Endpoint where Response: Decodable {
    /// Creates an endpoint that decodes its response from JSON.
    ///
    /// Two types are not decoded: `Data` is the body as it is, and `String` is the body as UTF-8 text. If the type is
    /// optional, a response without content, such as a 204, becomes nil. For the parameters, see
    /// ``init(_:_:query:headers:body:isRepeatable:decode:)``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.init(method, path, query: query, headers: headers, body: body, isRepeatable: isRepeatable) {
            try $0.content(by: $1)
        }
        if RawResponse.isContent(Response.self) { accept = "*/*" }
    }
}

extension Endpoint where Response == Void {
    /// Creates an endpoint that ignores the content of the response. For the parameters, see
    /// ``init(_:_:query:headers:body:isRepeatable:decode:)``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.init(method, path, query: query, headers: headers, body: body, isRepeatable: isRepeatable) { _, _ in }
    }
}

/// A type that makes the compiler report an endpoint whose response type is not declared. The error is “ambiguous use
/// of 'init'”. To correct it, write `Endpoint<Book>(…)`, or `Endpoint<Void>(…)` if you don't need the response.
///
/// Without this type, Swift would take `Endpoint(.get, "books")` for an `Endpoint<Void>` if nothing else determines the
/// type, and the response would be ignored.
public enum UndeclaredResponse: Sendable {}

extension Endpoint where Response == UndeclaredResponse {
    /// Makes `Endpoint(.get, "books")` ambiguous if nothing determines its type; see ``UndeclaredResponse``.
    public init(
        _ method: HTTPMethod, _ path: String, query: QueryItems = [:], headers: HeaderFields = [:], body: Body? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.init(method, path, query: query, headers: headers, body: body, isRepeatable: isRepeatable) { _, _ in
            throw UnreadableResponse.empty
        }
    }
}

extension Endpoint {
    /// Whether the path is an absolute URL. A service may send such a URL for its next page.
    var isLink: Bool {
        let start = path.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }

    /// The path without leading slashes, because the base URL ends in a slash.
    private var relativePath: Substring { path.drop { $0 == "/" } }

    /// The part of the path that may be shown in texts. The query is left out, because it may contain a secret.
    var shownPath: String {
        isLink ? URL(string: path)?.redacted ?? "" : String(relativePath.prefix { $0 != "?" && $0 != "#" })
    }

    /// Returns the text of the URL to request.
    func address(below base: String) throws(Unsendable) -> String {
        guard !query.isEmpty else { return try isLink ? path : base + escapedPath() }
        guard !isLink || !path.utf8.contains(where: { Self.afterPath.contains($0) }) else {
            throw Unsendable("the path is a URL with a query or a fragment, to which “query:” cannot add anything")
        }
        return try "\(isLink ? path : base + escapedPath())?\(query.encoded)"
    }

    private static var afterPath: [UInt8] { [UInt8(ascii: "?"), UInt8(ascii: "#")] }

    /// Returns the path as it appears in a URL; see ``path``.
    private func escapedPath() throws(Unsendable) -> String {
        let bytes = Array(relativePath.utf8)
        guard !bytes.contains(where: { Self.afterPath.contains($0) }) else {
            throw Unsendable(
                "the path contains “?” or “#”: pass a query as “query:”, and write the character as %3F or %23")
        }
        let signs = bytes.indices.filter { bytes[$0] == UInt8(ascii: "%") }
        let escapes = signs.filter { sign in
            bytes[(sign + 1)...].prefix(2).filter { Unicode.Scalar($0).properties.isASCIIHexDigit }.count == 2
        }
        guard escapes.isEmpty || escapes == signs else {
            throw Unsendable(
                "only some percent signs of the path begin an escape such as %2F: write %25 for the others")
        }
        let isEscaped = !escapes.isEmpty
        let segments = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !segments.contains(where: { Self.isDots($0, isEscaped) }) else {
            throw Unsendable(
                "the path has a segment “.” or “..”, which servers resolve: write the path without such segments")
        }
        var escaped: [UInt8] = []
        for byte in bytes {
            let isPlain = isAlphanumeric(byte) || Self.plain.contains(byte) || byte == UInt8(ascii: "%") && isEscaped
            if isPlain { escaped.append(byte) } else { escaped += QueryItems.percentEncoded(byte).utf8 }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The characters besides letters and digits that a path may contain, as RFC 3986 defines it.
    private static var plain: String.UTF8View { "/-._~!$&'()*+,;=:@".utf8 }

    private static func isDots(_ segment: ArraySlice<UInt8>, _ isEscaped: Bool) -> Bool {
        guard 1...6 ~= segment.count else { return false }
        let text = String(decoding: segment, as: UTF8.self)
        return [".", ".."].contains(isEscaped ? text.removingPercentEncoding : text)
    }
}

/// The reason why a request cannot be built from its parts.
struct Unsendable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Endpoint: Redacted {
    /// The method and path, without the query and the body.
    public var description: String { "\(method) \(shownPath)" }
}

/// An HTTP request method. Any name is possible, because services may define other methods.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as sent on the wire.
    public let rawValue: String

    /// Creates a method with any name. It is validated when a request is sent.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The GET method, which reads a resource without changing it.
    public static let get = HTTPMethod(rawValue: "GET")
    /// The POST method, which performs an action or adds a resource.
    public static let post = HTTPMethod(rawValue: "POST")
    /// The PUT method, which stores a resource in place of the existing one.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// The PATCH method, which changes part of an existing resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// The DELETE method, which removes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// The HEAD method, which reads only the headers of a resource.
    public static let head = HTTPMethod(rawValue: "HEAD")

    /// Whether sending a request with this method twice has the same effect as sending it once, according to HTTP.
    public var isIdempotent: Bool {
        ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(rawValue)
    }

    /// Whether the name consists only of capital letters. Other names are refused, because they could contain
    /// characters that inject a header.
    var isValid: Bool {
        !rawValue.isEmpty && rawValue.utf8.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
    }

    public var description: String { rawValue }
}
