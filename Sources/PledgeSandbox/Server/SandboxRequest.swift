import Foundation

/// One request, exactly as it was received.
public struct SandboxRequest: Hashable, Sendable {
    /// The method, in the case it was sent.
    public let method: String
    /// The request target as it stood in the first line, still percent-encoded: `/api/2/insights/?page=2`.
    public let target: String
    /// The protocol of the first line, `HTTP/1.1` or `HTTP/1.0`.
    public let version: String
    /// Every header field, in the order it came.
    public let headers: SandboxHeaders
    /// The body without the transfer coding; empty when there was none.
    public let body: Data
    /// The connection the request came on, counted from 1 over the life of the server.
    public let connection: Int
    /// What stood in the place of the `{name}` segments of the route; empty in the server's log.
    public internal(set) var parameters: [String: String] = [:]

    /// Makes a request, for tests of a route without a server.
    public init(
        method: String = "GET", target: String, version: String = "HTTP/1.1", headers: SandboxHeaders = [:],
        body: Data = Data(), connection: Int = 1
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        self.body = body
        self.connection = connection
    }

    /// The target up to the question mark, percent-decoded.
    public var path: String {
        var raw = target.prefix { $0 != "?" && $0 != "#" }
        if let host = raw.range(of: "://")?.upperBound, !raw.hasPrefix("/") {
            raw = raw[host...].drop { $0 != "/" }
            if raw.isEmpty { return "/" }
        }
        return raw.removingPercentEncoding ?? String(raw)
    }

    /// The target after the question mark, still percent-encoded; `nil` without one.
    public var query: String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return String(target[target.index(after: mark)...].prefix { $0 != "#" })
    }
}
