import Foundation
import PledgeTestSupport

@testable import PledgeServer

/// A proxy on this machine that forwards every `CONNECT`, whatever host it names, to a single local port. It records
/// everything that clients send.
final class ConnectProxy: Sendable {
    let address: URL
    private let server: ByteServer
    private let received: Protected<[Data]>

    /// - Parameters:
    ///   - port: The port to which connections are forwarded.
    ///   - answer: The response to `CONNECT`. Nothing is forwarded if it is not a 200.
    init(to port: Int, answer: String? = nil) throws {
        let answer = answer ?? "HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n"
        let received = Protected<[Data]>([])
        self.received = received
        server = try ByteServer { client in
            let index = received.withLock { all in
                all.append(Data())
                return all.count - 1
            }
            Self.serve(client, port, answer) { bytes in received.withLock { $0[index] += bytes } }
        }
        address = server.url
    }

    func stop() { server.stop() }

    /// What each client sent first on its connection, up to the empty line.
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
        guard let head = ByteServer.head(from: client, keep: keep) else { return }
        guard answer.contains(" 200 ") else {
            _ = SystemSocket.sendAll(Data(answer.utf8), to: client)
            return
        }
        let url = URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/")
        guard head.starts(with: Data("CONNECT ".utf8)), let service = try? RawClient(url) else {
            _ = SystemSocket.sendAll(Data("HTTP/1.1 501 Only CONNECT\r\nContent-Length: 0\r\n\r\n".utf8), to: client)
            return
        }
        guard SystemSocket.sendAll(Data(answer.utf8), to: client) else { return }
        // Releasing `service` closes its socket, so it must stay alive until both directions have ended.
        withExtendedLifetime(service) {
            let (descriptor, back) = (service.descriptor, DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                carry(from: descriptor, to: client) { _ in }
                back.signal()
            }
            carry(from: client, to: descriptor, keep: keep)
            back.wait()
        }
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
}
