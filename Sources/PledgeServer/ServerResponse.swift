import Foundation

/// The response of a route. It consists of a status code, headers, and a body, or it simulates a fault of the
/// connection. A route can return a response or throw it.
public struct ServerResponse: Hashable, Sendable, Error {
    /// The status code; 0 if the response simulates a fault of the connection.
    public let status: Int
    /// The header fields that the route has set. They have no effect if the response simulates a fault of the
    /// connection.
    public var headers: ServerHeaders
    /// The delay before the server sends the first byte, in seconds.
    private(set) var delay: TimeInterval = 0
    /// The steps with which the response simulates a fault of the connection; nil for a regular response.
    private var fault: [ServerStep]?
    private let regularBody: Data

    /// The body. If the response simulates a fault of the connection, the body consists of all bytes that the server
    /// sends. They are joined on each access, because the steps of a large response may repeat the same bytes.
    public var body: Data { fault?.reduce(into: Data()) { $0 += $1.bytes } ?? regularBody }

    /// Creates a response. The server adds the header fields `Content-Length` and `Connection` if they are missing.
    public init(status: Int, headers: ServerHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        regularBody = body
    }

    /// A fault that closes the connection without a response.
    ///
    /// If the client had used the connection before, it may silently send the request again on another connection.
    /// Clients such as curl and Foundation on Linux do so, because they consider the connection outdated. To make the
    /// call fail, drop the second request, too.
    public static let drop = steps([])

    /// Returns a fault that sends the bytes unchanged and closes the connection. Use it for responses that no correct
    /// server would send.
    public static func raw(_ bytes: Data) -> ServerResponse {
        steps([.send(bytes)])
    }

    /// Returns a fault that performs steps on the connection, in order, and then closes the connection.
    public static func steps(_ steps: [ServerStep]) -> ServerResponse {
        var response = ServerResponse(status: 0)
        response.fault = steps
        return response
    }

    /// Returns a response without a body.
    public static func empty(_ status: Int, headers: ServerHeaders = [:]) -> ServerResponse {
        ServerResponse(status: status, headers: headers)
    }

    /// Returns a plain-text response.
    public static func text(_ text: String, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// Returns a JSON response. If JSON cannot represent the value, because it has an infinite number or NaN, the
    /// response is a 500.
    public static func json(_ value: ServerJSON, status: Int = 200, headers: ServerHeaders = [:]) -> ServerResponse {
        guard let body = try? value.encoded() else { return .text("The response is not JSON.", status: 500) }
        var response = ServerResponse(status: status, headers: headers, body: body)
        if headers["Content-Type"] == nil { response.headers["Content-Type"] = "application/json" }
        return response
    }

    /// Returns the response with an additional delay, in seconds, before its first byte.
    public func delayed(by seconds: TimeInterval) -> ServerResponse {
        var later = self
        later.delay += seconds
        return later
    }
}

extension ServerResponse {
    /// The steps with which the server sends the response.
    func steps(forHead: Bool, keepAlive: Bool) -> [ServerStep] {
        fault ?? [.send(encoded(forHead: forHead, keepAlive: keepAlive))]
    }

    /// Returns the bytes of a regular response.
    private func encoded(forHead: Bool, keepAlive: Bool) -> Data {
        // The status line has no reason phrase, so that no client can rely on one.
        var head = "HTTP/1.1 \(status) \r\n"
        for field in headers.fields { head += field.line }
        let mayHaveBody = status >= 200 && status != 204 && status != 304
        if mayHaveBody, headers["Content-Length"] == nil, headers["Transfer-Encoding"] == nil {
            head += "Content-Length: \(body.count)\r\n"
        }
        if headers["Connection"] == nil { head += "Connection: \(keepAlive ? "keep-alive" : "close")\r\n" }
        head += "\r\n"
        return mayHaveBody && !forHead ? Data(head.utf8) + body : Data(head.utf8)
    }

    var endsConnection: Bool { fault != nil || headers.lists("close", in: "Connection") }
}

extension ServerHeaders.Field {
    /// The line of the field in a response. A line break in a value would begin another field, so it becomes a space.
    /// Such a value may have been copied from a request.
    var line: String {
        let scalars = "\(name): \(value)".unicodeScalars.map { "\r\n\0".unicodeScalars.contains($0) ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)) + "\r\n"
    }
}

/// Responses that simulate faults of the connection.
extension ServerResponse {
    /// A fault that receives the request, and then never responds.
    public static let silence = steps([.wait])

    /// A fault that resets the TCP connection without a response.
    public static let reset = steps([.reset])

    /// Returns a fault that sends the response, but ends the connection after `count` bytes of the body.
    ///
    /// - Parameters:
    ///   - count: The number of bytes of the body to send. Pass `.max` to send the whole body. The connection is then
    ///     closed although the headers say that it stays open.
    ///   - resetting: Whether to reset the TCP connection. If false, the connection is closed in the regular way.
    public func cut(after count: Int, resetting: Bool = false) -> ServerResponse {
        let all = bytes
        return .steps(
            [ServerStep.send(all.dropLast(max(0, body.count - count)))] + (resetting ? [.pause(0.05), .reset] : []))
    }

    /// Returns a fault that sends the response in pieces of `size` bytes, with a pause of `seconds` between two pieces.
    public func trickled(_ size: Int, every seconds: TimeInterval) -> ServerResponse {
        let (all, size) = (closing.bytes, max(1, size))
        let pieces = stride(from: 0, to: all.count, by: size).map { Data(all.dropFirst($0).prefix(size)) }
        return .steps(Array(pieces.map { [.send($0)] }.joined(separator: [.pause(seconds)])))
    }

    /// A copy of this response with the header field `Connection: close`.
    private var closing: ServerResponse {
        var response = self
        response.headers["Connection"] = "close"
        return response
    }

    /// All bytes that the server sends, including those of the header.
    private var bytes: Data { fault == nil ? encoded(forHead: false, keepAlive: true) : body }
}
