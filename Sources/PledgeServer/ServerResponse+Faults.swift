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
        let (all, size) = (closing.bytes, max(1, size))
        let pieces = stride(from: 0, to: all.count, by: size).map { Data(all.dropFirst($0).prefix(size)) }
        return .steps(Array(pieces.map { [.send($0)] }.joined(separator: [.pause(seconds)])))
    }

    /// The response with a header that announces the end of the connection, which follows all steps.
    private var closing: ServerResponse {
        var response = self
        response.headers["Connection"] = "close"
        return response
    }

    private var bytes: Data { steps(forHead: false, keepAlive: true).reduce(Data()) { $0 + $1.bytes } }
}
