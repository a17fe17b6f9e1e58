import Foundation

/// A request, exactly as it was received.
public struct ServerRequest: Hashable, Sendable {
    /// The request method, in its original case.
    public let method: String
    /// The request target of the request line, still percent-encoded: `/api/2/insights/?page=2`.
    public let target: String
    /// The query of the target, still percent-encoded; `nil` when there is none.
    public let query: String?
    /// The query items, decoded as servers do: both `+` and `%20` are a space.
    public let queryItems: [URLQueryItem]
    /// The protocol version of the request line, `HTTP/1.1` or `HTTP/1.0`.
    public let version: String
    /// All header fields, in the order received.
    public internal(set) var headers = ServerHeaders()
    /// The body without the transfer coding; empty when there is none.
    public internal(set) var body = Data()
    /// The number of the connection, counted from 1 over the lifetime of the server.
    public let connection: Int
    /// The values of the `{name}` segments of the route; empty in the server's log.
    public internal(set) var parameters: [String: String] = [:]

    /// The path of the target, percent-decoded.
    public var path: String {
        var raw = target.prefix { $0 != "?" && $0 != "#" }
        if let host = raw.range(of: "://")?.upperBound, !raw.hasPrefix("/") {
            raw = raw[host...].drop { $0 != "/" }
            if raw.isEmpty { return "/" }
        }
        return raw.removingPercentEncoding ?? String(raw)
    }
}
