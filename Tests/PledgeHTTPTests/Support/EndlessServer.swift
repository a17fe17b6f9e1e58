import Foundation

@testable import PledgeServer

/// A server, or a proxy, that answers the first bytes it receives and never stops sending.
final class EndlessServer: Sendable {
    let port: UInt16
    private let listener: LoopbackListener

    init(_ beginning: [UInt8] = [], then repeated: [UInt8]) throws {
        listener = try LoopbackListener(port: 0) { client in
            Thread.detachNewThread {
                defer { SystemSocket.closeDescriptor(client) }
                guard !SystemSocket.receive(from: client).isEmpty else { return }
                let flood = Data((0..<max(1, 0x10000 / repeated.count)).flatMap { _ in repeated })
                guard SystemSocket.sendAll(Data(beginning), to: client) else { return }
                while SystemSocket.sendAll(flood, to: client) {}
            }
        }
        port = listener.port
    }

    convenience init(_ beginning: String, then repeated: String) throws {
        try self.init(Array(beginning.utf8), then: Array(repeated.utf8))
    }

    func stop() { listener.stop() }
}
