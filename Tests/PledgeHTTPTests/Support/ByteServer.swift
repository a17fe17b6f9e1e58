import Foundation

@testable import PledgeServer

/// A server or proxy on this machine. A closure serves each connection on its own thread.
final class ByteServer: Sendable {
    let port: UInt16
    private let listener: LoopbackListener

    init(_ serve: @escaping @Sendable (_ client: Int32) -> Void) throws {
        listener = try LoopbackListener(port: 0, onIPv6: false) { client in
            Thread.detachNewThread {
                defer { SystemSocket.closeDescriptor(client) }
                serve(client)
            }
        }
        port = listener.port
    }

    func stop() { listener.stop() }

    var url: URL { URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/") }

    /// Creates a server that receives some bytes on each connection, and then never stops sending.
    static func endless(_ beginning: Data = Data(), then repeated: Data) throws -> ByteServer {
        let flood = Data((0..<max(1, 0x10000 / repeated.count)).flatMap { _ in repeated })
        return try ByteServer { client in
            guard !SystemSocket.receive(from: client).isEmpty, SystemSocket.sendAll(beginning, to: client) else {
                return
            }
            while SystemSocket.sendAll(flood, to: client) {}
        }
    }

    /// Creates a server that answers with the number of bytes in the request's body. Unlike the sandbox, it doesn't
    /// keep the body in memory.
    static func sink() throws -> ByteServer { try ByteServer(sink) }

    private static func sink(_ client: Int32) {
        guard let head = head(from: client), let end = head.range(of: Data("\r\n\r\n".utf8)) else { return }
        let lines = String(decoding: head[..<end.lowerBound], as: UTF8.self).lowercased().components(
            separatedBy: "\r\n")
        let size = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        var count = head.count - end.upperBound
        while count < size {
            let bytes = SystemSocket.receive(from: client)
            guard !bytes.isEmpty else { return }
            count += bytes.count
        }
        let body = "\(count)"
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        _ = SystemSocket.sendAll(Data(answer.utf8), to: client)
    }

    /// Receives bytes until they contain an empty line, and returns them. Returns nil if the connection ends first.
    static func head(from client: Int32, keep: (Data) -> Void = { _ in }) -> Data? {
        var head = Data()
        while head.range(of: Data("\r\n\r\n".utf8)) == nil {
            let bytes = Data(SystemSocket.receive(from: client))
            guard !bytes.isEmpty else { return nil }
            head += bytes
            keep(bytes)
        }
        return head
    }
}
