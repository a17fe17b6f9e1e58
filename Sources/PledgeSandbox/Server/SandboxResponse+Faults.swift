import Foundation

/// What may go wrong with a reply on its way.
extension SandboxResponse {
    /// Takes the request and never answers.
    public static let silence = steps([.wait])

    /// Ends the connection with a reset, without a reply.
    public static let reset = steps([.reset])

    /// The same reply, of whose body only so many bytes arrive before the connection ends.
    ///
    /// - Parameters:
    ///   - count: how many bytes of the body arrive.
    ///   - resetting: whether the connection ends with a reset instead of being closed in order.
    public func cut(after count: Int, resetting: Bool = false) -> SandboxResponse {
        let all = bytes
        return .steps(
            [SandboxStep.send(all.dropLast(max(0, body.count - count)))] + (resetting ? [.pause(0.05), .reset] : []))
    }

    /// The same reply, sent in pieces of so many bytes with a pause before each but the first.
    public func trickled(_ size: Int, every seconds: TimeInterval) -> SandboxResponse {
        let all = [UInt8](closing.bytes)
        let pieces = stride(from: 0, to: all.count, by: max(1, size)).map { Data(all[$0..<min($0 + size, all.count)]) }
        return .steps(Array(pieces.map { [.send($0)] }.joined(separator: [.pause(seconds)])))
    }

    /// The same reply, after which the connection is closed although the reply says that it is kept.
    public func closingUnannounced() -> SandboxResponse {
        .steps([.send(bytes)])
    }

    /// The same reply, which says that the connection ends with it, as after all steps.
    private var closing: SandboxResponse {
        var reply = self
        reply.headers["Connection"] = "close"
        return reply
    }

    /// The same reply with its body in chunks of so many bytes.
    ///
    /// - Parameters:
    ///   - size: the bytes of a chunk.
    ///   - isComplete: whether the chunk that ends the body is sent.
    public func chunked(_ size: Int, isComplete: Bool = true) -> SandboxResponse {
        let all = [UInt8](body)
        var coded = Data()
        for start in stride(from: 0, to: all.count, by: max(1, size)) {
            let piece = all[start..<min(start + size, all.count)]
            coded += Data("\(String(piece.count, radix: 16))\r\n".utf8) + Data(piece) + Data("\r\n".utf8)
        }
        if isComplete { coded += Data("0\r\n\r\n".utf8) }
        var head = closing.headers
        head["Transfer-Encoding"] = "chunked"
        let empty = SandboxResponse(status: status, headers: head)
        return .steps([.send(empty.bytes + coded)])
    }

    /// The same reply in HTTP/1.0, whose body ends where the connection does.
    public func oldStyle() -> SandboxResponse {
        var head = "HTTP/1.0 \(status) OK\r\n"
        for field in headers.fields { head += field.line }
        return .steps([.send(Data("\(head)\r\n".utf8) + body)])
    }

    /// A packed body of spaces that is some hundred times as large once unpacked.
    public static func gzipBomb(unpacked size: Int) -> SandboxResponse {
        let packed = PackedSpaces(count: size).gzip
        return SandboxResponse(
            status: 200, headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"], body: packed)
    }

    /// The bytes of a proper reply on a connection that is kept.
    private var bytes: Data {
        steps(forHead: false, keepAlive: true).reduce(Data()) { $0 + $1.bytes }
    }
}
