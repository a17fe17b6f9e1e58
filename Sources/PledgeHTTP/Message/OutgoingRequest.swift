import Foundation
import PledgeCoding
import PledgeFiles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A complete request as a transport sends it.
public struct OutgoingRequest: Sendable {
    /// The HTTP method of the request.
    public var method: HTTPMethod
    /// An absolute `http` or `https` URL.
    public var url: URL
    /// All headers except those that only a transport sets. A request is refused if it has one of the following:
    /// `Host`, `Content-Length`, `Transfer-Encoding`, `Connection`, `Expect`, `TE`, `Trailer`, `Upgrade`, `Keep-Alive`,
    /// and every header whose name begins with `Proxy-`.
    public var headers: HeaderFields
    /// The bytes of the body, if any.
    public var body: Data? {
        didSet { bodyFiles = nil }
    }
    /// The body, if files are part of it; ``body`` is then not used. Only transports that stream use this property.
    var bodyFiles: FileBody?
    /// The file to which the body of a successful response is written; nil to keep the body in memory. Only transports
    /// that stream use this property.
    var responseFile: ResponseFile?
    /// The number of the attempt, counted from 1.
    package internal(set) var attempt = 1
    /// The object to which the transport reports the progress; nil if nobody wants to know it.
    var progress: TransferReporter?
    /// Whether the request still waits for other requests to the same origin. The transport sets the value. Nil if
    /// nobody wants to know it.
    var isWaiting: Locked<Bool>?
    /// The time limit for the whole exchange, in seconds.
    public var timeout: TimeInterval
    /// The maximum size of the response body after decompression, in bytes.
    public var bodyLimit: Int

    /// Creates a request for a transport to send. The parameters are the properties with the same names.
    public init(
        method: HTTPMethod = .get, url: URL, headers: HeaderFields = [:], body: Data? = nil,
        timeout: TimeInterval = 30, bodyLimit: Int = 64 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }
}

extension OutgoingRequest {
    /// The reason why the request may not be sent; nil if it may be sent. For example, a line break in a header could
    /// inject another header, and a length that the caller sets could inject another request.
    var problem: String? {
        if timeout.isNaN { return "the time limit is not a number" }
        // On Apple platforms, URLSession sends no body with these methods, and many servers ignore such a body.
        if [.get, .head].contains(method), body?.isEmpty == false || bodyFiles != nil {
            return "a \(method) has no body: put the values into the query, or use POST"
        }
        if !method.isValid { return "the method contains a character that is not allowed" }
        for field in headers.fields where !field.isValid {
            // The message leaves out the value, because it may be secret.
            return field.hasValidName
                ? "the header \(field.name) contains a character that is not allowed"
                : "the name of a header contains a character that is not allowed"
        }
        if let field = headers.fields.first(where: \.belongsToTransport) {
            return "the header \(field.name) frames or routes the message, and only the transport may set it: remove it"
        }
        if url.user != nil || url.password != nil { return "the URL contains a user name" }
        return url.scheme == "https" || url.scheme == "http" ? nil : "the address is neither http nor https"
    }
}

extension OutgoingRequest: Redacted {
    /// The method and URL. The headers are left out, because they include the token, and so is the body, because it is
    /// private.
    public var description: String { "\(method) \(url.redacted)" }
}

extension URL {
    /// The URL as a base for paths: without a query and a fragment, and with a slash at the end.
    package var asBase: URL {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        parts.query = nil
        parts.fragment = nil
        if !parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath += "/" }
        return parts.url ?? self
    }

    /// The URL in printable form, without user, password, query, and fragment.
    package var redacted: String {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return "an invalid URL"
        }
        parts.user = nil
        parts.password = nil
        parts.query = nil
        parts.fragment = nil
        return parts.string ?? "an invalid URL"
    }
}
