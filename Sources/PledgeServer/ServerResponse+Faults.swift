import Foundation

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
        .steps(Array(Self.pieces(closing.bytes, size).map { [.send($0)] }.joined(separator: [.pause(seconds)])))
    }

    /// The response with a header that announces the end of the connection, which follows all steps.
    private var closing: ServerResponse {
        var response = self
        response.headers["Connection"] = "close"
        return response
    }

    /// Returns the response with its body in chunks.
    ///
    /// - Parameters:
    ///   - size: The number of bytes per chunk.
    ///   - isComplete: Whether the final chunk, which ends the body, is sent.
    public func chunked(_ size: Int, isComplete: Bool = true) -> ServerResponse {
        var coded = Data()
        for piece in Self.pieces(body, size) {
            coded += Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
        }
        if isComplete { coded += Data("0\r\n\r\n".utf8) }
        var head = closing.headers
        head["Transfer-Encoding"] = "chunked"
        let empty = ServerResponse(status: status, headers: head)
        return .steps([.send(empty.bytes + coded)])
    }

    /// Returns the response as HTTP/1.0, where the end of the connection ends the body.
    public func oldStyle() -> ServerResponse {
        var head = "HTTP/1.0 \(status) OK\r\n"
        for field in headers.fields { head += field.line }
        return .steps([.send(Data("\(head)\r\n".utf8) + body)])
    }

    private static func pieces(_ all: Data, _ size: Int) -> [Data] {
        let size = max(1, size)
        return stride(from: 0, to: all.count, by: size).map { Data(all.dropFirst($0).prefix(size)) }
    }

    private var bytes: Data { steps(forHead: false, keepAlive: true).reduce(Data()) { $0 + $1.bytes } }
}
