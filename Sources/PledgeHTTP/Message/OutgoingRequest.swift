import Foundation
import PledgeCoding

/// A request as a transport sends it: nothing is left to decide.
public struct OutgoingRequest: Sendable {
    /// The verb of the request line.
    public var method: HTTPMethod
    /// An absolute `http` or `https` address.
    public var url: URL
    /// All header lines but those the transport must make itself (`Host`, `Content-Length`).
    public var headers: HeaderFields
    /// The bytes to send.
    public var body: Data?
    /// How long it may take in all, in seconds.
    public var timeout: TimeInterval
    /// The largest reply to accept, in bytes after decompression.
    public var bodyLimit: Int

    /// Makes a request for a transport.
    ///
    /// - Parameters:
    ///   - method: the verb.
    ///   - url: an absolute address.
    ///   - headers: header lines.
    ///   - body: the bytes to send.
    ///   - timeout: seconds for the whole exchange.
    ///   - bodyLimit: bytes of the largest reply to accept.
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
    /// Why this cannot be put into HTTP, if it cannot: a line break in a method or a header could smuggle in another.
    var problem: String? {
        if !method.isValid { return "the method holds a character that none can have" }
        for field in headers.fields where !field.isValid {
            // Not the value: it may be secret.
            return field.hasValidName
                ? "the header \(field.name) holds a character that none can have"
                : "the name of a header holds a character that none can have"
        }
        if url.user != nil || url.password != nil { return "the address holds a user name" }
        return url.scheme == "https" || url.scheme == "http" ? nil : "the address is neither http nor https"
    }
}

extension OutgoingRequest: Discreet {
    /// Method and address: neither headers, which hold the token, nor body, which is private.
    public var description: String { "\(method) \(url.redacted)" }
}

extension URL {
    /// The address as paths can start from: without query and fragment, and with a slash at its end.
    package var asBase: URL {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        parts.query = nil
        parts.fragment = nil
        if !parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath += "/" }
        return parts.url ?? self
    }

    /// The address without user, password, query and fragment: what may be printed.
    package var redacted: String {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return "an unreadable address"
        }
        parts.user = nil
        parts.password = nil
        parts.query = nil
        parts.fragment = nil
        return parts.string ?? "an unreadable address"
    }
}
