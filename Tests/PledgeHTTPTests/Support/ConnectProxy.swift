import Foundation
import Testing

@testable import PledgeServer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A proxy on this machine that forwards every `CONNECT`, whatever host it names, to a single local port. It records
/// everything that clients send.
final class ConnectProxy: Sendable {
    let address: URL
    private let listener: LoopbackListener
    private let received: Protected<[Data]>

    /// - Parameters:
    ///   - port: The port to which connections are forwarded.
    ///   - answer: The response to `CONNECT`. Nothing is forwarded if it is not a 200.
    init(to port: Int, answer: String? = nil) throws {
        let answer = answer ?? "HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n"
        let received = Protected<[Data]>([])
        self.received = received
        listener = try LoopbackListener(port: 0) { client in
            Thread.detachNewThread {
                let index = received.withLock { all in
                    all.append(Data())
                    return all.count - 1
                }
                Self.serve(client, port, answer) { bytes in received.withLock { $0[index] += bytes } }
            }
        }
        address = try #require(URL(string: "http://127.0.0.1:\(listener.port)"))
    }

    func stop() { listener.stop() }

    /// The beginning of each connection, up to the empty line.
    var heads: [String] {
        received.withLock { all in
            all.map { String(decoding: $0.prefix(4_096), as: UTF8.self).components(separatedBy: "\r\n\r\n")[0] }
        }
    }

    /// Whether clients sent this text anywhere.
    func saw(_ text: String) -> Bool {
        received.withLock { all in all.contains { $0.range(of: Data(text.utf8)) != nil } }
    }

    private static func serve(_ client: Int32, _ port: Int, _ answer: String, keep: @escaping (Data) -> Void) {
        defer { SystemSocket.closeDescriptor(client) }
        var head = Data()
        while head.range(of: Data("\r\n\r\n".utf8)) == nil {
            let bytes = Data(SystemSocket.receive(from: client))
            guard !bytes.isEmpty else { return }
            head += bytes
            keep(bytes)
        }
        guard answer.contains(" 200 ") else {
            _ = SystemSocket.sendAll(Data(answer.utf8), to: client)
            return
        }
        guard head.starts(with: Data("CONNECT ".utf8)), let service = connection(to: port) else {
            _ = SystemSocket.sendAll(Data("HTTP/1.1 501 Only CONNECT\r\nContent-Length: 0\r\n\r\n".utf8), to: client)
            return
        }
        defer { SystemSocket.closeDescriptor(service) }
        guard SystemSocket.sendAll(Data(answer.utf8), to: client) else { return }
        let back = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            carry(from: service, to: client) { _ in }
            back.signal()
        }
        carry(from: client, to: service, keep: keep)
        back.wait()
    }

    private static func carry(from: Int32, to: Int32, keep: (Data) -> Void) {
        while true {
            let bytes = Data(SystemSocket.receive(from: from))
            keep(bytes)
            guard !bytes.isEmpty, SystemSocket.sendAll(bytes, to: to) else { break }
        }
        SystemSocket.endBothWays(from)
        SystemSocket.endBothWays(to)
    }

    private static func connection(to port: Int) -> Int32? {
        let descriptor = SystemSocket.makeStreamSocket()
        SystemSocket.silenceBrokenPipe(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result != 0 else { return descriptor }
        SystemSocket.closeDescriptor(descriptor)
        return nil
    }
}
