import Foundation

/// The response of a route: a status code with headers and a body, or a connection fault. A helper can `throw` it.
public struct ServerResponse: Hashable, Sendable, Error {
    /// The status code; 0 for a connection fault.
    public let status: Int
    /// The header fields set by the route; meaningless for a connection fault.
    public var headers: ServerHeaders
    /// The delay before the first byte, in seconds.
    public var delay: TimeInterval = 0
    /// The steps of a connection fault.
    private(set) var fault: [ServerStep]?
    private let ownBody: Data

    /// The body; for a connection fault, all bytes it sends.
    public var body: Data { fault?.reduce(into: Data()) { $0 += $1.bytes } ?? ownBody }

    /// Creates a response; the server adds `Content-Length` and `Connection`.
    public init(status: Int, headers: ServerHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        ownBody = body
    }

    /// Closes the connection without a response.
    ///
    /// When a reused connection closes, a client such as curl or Foundation on Linux may consider it stale, and
    /// silently retry on another one. To make its call fail, drop the second request, too.
    public static let drop = steps([])

    /// Sends the bytes unchanged and closes the connection, for responses that no correct server would send.
    public static func raw(_ bytes: Data) -> ServerResponse {
        steps([.send(bytes)])
    }

    /// Performs the steps on the connection in order, and closes it.
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

    /// Returns a JSON response; a value JSON cannot represent (a number that is not finite) becomes a 500.
    public static func json(_ value: ServerJSON, status: Int = 200, headers: ServerHeaders = [:]) -> ServerResponse {
        guard let body = try? value.encoded() else { return .text("The response is not JSON.", status: 500) }
        var response = ServerResponse(status: status, headers: headers, body: body)
        if headers["Content-Type"] == nil { response.headers["Content-Type"] = "application/json" }
        return response
    }

    /// Returns the response, delayed by `seconds`.
    public func delayed(by seconds: TimeInterval) -> ServerResponse {
        var later = self
        later.delay += seconds
        return later
    }
}

extension ServerResponse {
    func steps(forHead: Bool, keepAlive: Bool) -> [ServerStep] {
        if let fault { return fault }
        // The reason phrase is empty, because no client may rely on it.
        var head = "HTTP/1.1 \(status) \r\n"
        for field in headers.fields { head += field.line }
        let mayHaveBody = status >= 200 && status != 204 && status != 304
        if mayHaveBody, headers["Content-Length"] == nil, headers["Transfer-Encoding"] == nil {
            head += "Content-Length: \(body.count)\r\n"
        }
        if headers["Connection"] == nil { head += "Connection: \(keepAlive ? "keep-alive" : "close")\r\n" }
        head += "\r\n"
        return [.send(mayHaveBody && !forHead ? Data(head.utf8) + body : Data(head.utf8))]
    }

    var endsConnection: Bool { fault != nil || headers.lists("close", in: "Connection") }
}

extension ServerHeaders.Field {
    /// The field as it is sent. A line break in a value (perhaps copied from a request) becomes a space, because it
    /// would begin another field.
    var line: String {
        let scalars = "\(name): \(value)".unicodeScalars.map { "\r\n\0".unicodeScalars.contains($0) ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)) + "\r\n"
    }
}

/// Faults that can occur while a response is sent.
extension ServerResponse {
    /// A fault that receives the request and never responds.
    public static let silence = steps([.wait])

    /// A fault that resets the connection without a response.
    public static let reset = steps([.reset])

    /// Returns the response, truncated: the connection ends after `count` bytes of the body.
    ///
    /// - Parameters:
    ///   - count: The number of bytes of the body that arrive; `.max` for all, after which the connection is closed
    ///     although the headers indicate that it stays open.
    ///   - resetting: Whether the connection is reset rather than closed in order.
    public func cut(after count: Int, resetting: Bool = false) -> ServerResponse {
        let all = bytes
        return .steps(
            [ServerStep.send(all.dropLast(max(0, body.count - count)))] + (resetting ? [.pause(0.05), .reset] : []))
    }

    /// Returns the response, sent in pieces of `size` bytes with a pause before each but the first.
    public func trickled(_ size: Int, every seconds: TimeInterval) -> ServerResponse {
        let (all, size) = (closing.bytes, max(1, size))
        let pieces = stride(from: 0, to: all.count, by: size).map { Data(all.dropFirst($0).prefix(size)) }
        return .steps(Array(pieces.map { [.send($0)] }.joined(separator: [.pause(seconds)])))
    }

    /// The response with a header that announces that the connection ends after all steps.
    private var closing: ServerResponse {
        var response = self
        response.headers["Connection"] = "close"
        return response
    }

    private var bytes: Data { steps(forHead: false, keepAlive: true).reduce(Data()) { $0 + $1.bytes } }
}
