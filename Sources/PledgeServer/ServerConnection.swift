import Dispatch
import Foundation

/// A connection of a client. On its own thread, it reads one request after another and responds to it.
final class ServerConnection: Sendable {
    private let descriptor: Int32
    /// The descriptor; nil after it was closed. The system may then use the same number for another file.
    private let open: Protected<Int32?>
    private let cancelled = DispatchSemaphore(value: 0)

    init(descriptor: Int32) {
        self.descriptor = descriptor
        open = Protected(descriptor)
    }

    /// Ends the connection. If its thread is waiting for anything, the wait ends, too.
    func cancel() {
        open.withLock { _ = $0.map(SystemSocket.endBothWays) }
        cancelled.signal()
    }

    func run(number: Int, respond: (ServerRequest) -> ServerResponse) {
        var reader = RequestReader(
            connection: number, receive: { [descriptor] in SystemSocket.receive(from: descriptor) },
            permitBody: { [descriptor] in
                _ = SystemSocket.sendAll(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: descriptor)
            })
        do {
            while case let request = try reader.next(), send(respond(request), to: request) {}
        } catch {
            if let response = error as? ServerResponse { refuse(response) }
        }
        close()
    }

    private func send(_ response: ServerResponse, to request: ServerRequest) -> Bool {
        if response.delay > 0, cancelled.wait(timeout: .now() + response.delay) == .success { return false }
        let staysOpen = request.wantsConnectionKept && !response.endsConnection
        return response.steps(forHead: request.method == "HEAD", keepAlive: staysOpen).allSatisfy(perform) && staysOpen
    }

    private func perform(_ step: ServerStep) -> Bool {
        switch step {
        case .send(let bytes):
            return SystemSocket.sendAll(bytes, to: descriptor)
        case .flood(let bytes):
            while SystemSocket.sendAll(bytes, to: descriptor) {}
        case .pause(let seconds):
            return cancelled.wait(timeout: .now() + seconds) == .timedOut
        case .wait:
            while !SystemSocket.receive(from: descriptor).isEmpty {}
        case .reset:
            SystemSocket.resetOnClose(descriptor)
        }
        return false
    }

    private func refuse(_ response: ServerResponse) {
        guard response.steps(forHead: false, keepAlive: false).allSatisfy(perform) else { return }
        // The client may still be sending its request. Closing the connection with unread bytes would reset it, and the
        // client would lose this response. So this reads for a short time before the connection is closed.
        SystemSocket.endSending(descriptor)
        SystemSocket.limitReceiving(descriptor, seconds: 1)
        for _ in 0..<1_024 { if SystemSocket.receive(from: descriptor).isEmpty { return } }
    }

    private func close() { open.withLock { _ = $0.take().map(SystemSocket.closeDescriptor) } }
}

extension ServerRequest {
    fileprivate var wantsConnectionKept: Bool {
        if headers.lists("close", in: "Connection") { return false }
        return version == "HTTP/1.1" || headers.lists("keep-alive", in: "Connection")
    }
}
