import Foundation

@testable import PledgeServer

/// A server that counts the bytes of a body without holding them, unlike the sandbox, and answers with their number.
final class SinkServer: Sendable {
    let url: URL
    private let listener: LoopbackListener

    init() throws {
        listener = try LoopbackListener(port: 0) { client in Thread.detachNewThread { Self.serve(client) } }
        url = URL(string: "http://127.0.0.1:\(listener.port)/") ?? URL(fileURLWithPath: "/")
    }

    func stop() { listener.stop() }

    private static func serve(_ client: Int32) {
        defer { SystemSocket.closeDescriptor(client) }
        var head = Data()
        var end: Range<Data.Index>?
        while end == nil {
            let bytes = SystemSocket.receive(from: client)
            guard !bytes.isEmpty else { return }
            head += bytes
            end = head.range(of: Data("\r\n\r\n".utf8))
        }
        guard let end else { return }
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
}
