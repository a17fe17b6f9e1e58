import Foundation
import PledgeCoding

/// A complete request as a transport sends it.
public struct OutgoingRequest: Sendable {
    /// The HTTP method of the request.
    public var method: HTTPMethod
    /// An absolute `http` or `https` URL.
    public var url: URL
    /// All headers except those that only a transport sets. A request with one of them is refused: `Host`,
    /// `Content-Length`, `Transfer-Encoding`, `Connection`, `Expect`, `TE`, `Trailer`, `Upgrade`, `Keep-Alive`, and all
    /// that begin with `Proxy-`.
    public var headers: HeaderFields
    /// The bytes of the body, if any.
    public var body: Data? {
        didSet { bodyFiles = nil }
    }
    /// The body in place of those bytes, if it is in files, for a transport that streams them.
    var bodyFiles: FileBody?
    /// The file for the body of a successful response, for a transport that streams it.
    var responseFile: ResponseFile?
    /// The number of the attempt, counted from 1.
    package internal(set) var attempt = 1
    /// The recipient of the progress.
    var progress: ProgressReporter?
    /// Whether it still waits for other requests to its origin; nil if nobody wants to know.
    var isWaiting: Locked<Bool>?
    /// The time limit for the whole exchange, in seconds.
    public var timeout: TimeInterval
    /// The maximum size of the response body after decompression, in bytes.
    public var bodyLimit: Int

    /// Creates a request for a transport to send; the parameters are the properties of the same names.
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
    /// The reason the request may not be sent; nil if it may. A line break could inject another header, and a length of
    /// one's own another request.
    var problem: String? {
        if timeout.isNaN { return "the time limit is not a number" }
        // URLSession sends none on Apple platforms, and many servers ignore one.
        if [.get, .head].contains(method), body?.isEmpty == false || bodyFiles != nil {
            return "a \(method) has no body: put the values into the query, or use POST"
        }
        if !method.isValid { return "the method contains a character that is not allowed" }
        for field in headers.fields where !field.isValid {
            // The value is left out because it may be secret.
            return field.hasValidName
                ? "the header \(field.name) contains a character that is not allowed"
                : "the name of a header contains a character that is not allowed"
        }
        if let field = headers.fields.first(where: \.belongsToTransport) {
            return "the header \(field.name) frames or routes the message, as only a transport may: remove it"
        }
        if url.user != nil || url.password != nil { return "the URL contains a user name" }
        return url.scheme == "https" || url.scheme == "http" ? nil : "the address is neither http nor https"
    }
}

extension OutgoingRequest: Redacted {
    /// The method and URL, without the headers, which include the token, and the body, which is private.
    public var description: String { "\(method) \(url.redacted)" }
}

extension URL {
    /// The URL as a base for paths: without query and fragment, and with a trailing slash.
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
