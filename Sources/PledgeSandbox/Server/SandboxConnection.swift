import Dispatch
import Foundation

/// One connection: reads requests and answers them in order, on a thread of its own.
final class SandboxConnection: Sendable {
    private let descriptor: Int32
    private let isOpen = Locked(true)
    private let cancelled = DispatchSemaphore(value: 0)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Ends the connection from outside: whatever its thread waits for, it stops waiting.
    func cancel() {
        // Under the lock, because once its thread has closed the descriptor the number may belong to someone else.
        isOpen.withLock { isOpen in
            if isOpen { SystemSocket.endBothWays(descriptor) }
        }
        cancelled.signal()
    }

    /// Serves until either side ends the connection.
    func run(number: Int, respond: (SandboxRequest) -> SandboxResponse) {
        var parser = RequestParser(connection: number)
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        serving: while true {
            do {
                switch try parser.next() {
                case .incomplete:
                    let bytes = SystemSocket.receive(from: descriptor, into: &buffer)
                    if bytes.isEmpty { break serving }
                    parser.append(bytes)
                case .continueExpected:
                    guard SystemSocket.sendAll(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: descriptor) else {
                        break serving
                    }
                case .request(let request):
                    guard send(respond(request), to: request) else { break serving }
                }
            } catch {
                refuse(error, buffer: &buffer)
                break serving
            }
        }
        close()
    }

    /// Sends a response, and says whether the connection goes on.
    private func send(_ response: SandboxResponse, to request: SandboxRequest) -> Bool {
        if response.delay > 0, cancelled.wait(timeout: .now() + response.delay) == .success { return false }
        let goesOn = request.wantsConnectionKept && !response.endsConnection
        return response.steps(forHead: request.method == "HEAD", keepAlive: goesOn).allSatisfy(perform) && goesOn
    }

    /// Does one thing to the connection, and says whether it still stands.
    private func perform(_ step: SandboxStep) -> Bool {
        switch step {
        case .send(let bytes):
            return SystemSocket.sendAll(bytes, to: descriptor)
        case .flood(let bytes):
            while SystemSocket.sendAll(bytes, to: descriptor) {}
            return false
        case .pause(let seconds):
            return cancelled.wait(timeout: .now() + seconds) == .timedOut
        case .wait:
            var buffer = [UInt8](repeating: 0, count: 1_024)
            while !SystemSocket.receive(from: descriptor, into: &buffer).isEmpty {}
            return false
        case .reset:
            SystemSocket.resetOnClose(descriptor)
            return false
        }
    }

    /// Answers a request that could not be read.
    private func refuse(_ error: any Error, buffer: inout [UInt8]) {
        let response = error as? SandboxResponse ?? .empty(400)
        guard response.steps(forHead: false, keepAlive: false).allSatisfy(perform) else { return }
        // Closing with bytes unread would reset the connection, and the sender would lose this reply; so read on for a while.
        SystemSocket.endSending(descriptor)
        SystemSocket.limitReceiving(descriptor, seconds: 1)
        var reads = 1_024
        while reads > 0, !SystemSocket.receive(from: descriptor, into: &buffer).isEmpty { reads -= 1 }
    }

    private func close() {
        isOpen.withLock { isOpen in
            isOpen = false
            SystemSocket.closeDescriptor(descriptor)
        }
    }
}

extension SandboxRequest {
    /// Whether the sender means to send more on the same connection.
    fileprivate var wantsConnectionKept: Bool {
        if headers.lists("close", in: "Connection") { return false }
        return version == "HTTP/1.1" || headers.lists("keep-alive", in: "Connection")
    }
}
