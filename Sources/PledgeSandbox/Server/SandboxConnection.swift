import Dispatch
import Foundation

/// A connection that reads requests and responds to them in order, on its own thread.
final class SandboxConnection: Sendable {
    private let descriptor: Int32
    private let isOpen = Locked(true)
    private let cancelled = DispatchSemaphore(value: 0)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Ends the connection from outside, which wakes its thread from any wait.
    func cancel() {
        // Under the lock, because after its thread has closed the descriptor the number may be reused.
        isOpen.withLock { isOpen in
            if isOpen { SystemSocket.endBothWays(descriptor) }
        }
        cancelled.signal()
    }

    /// Serves requests until either side ends the connection.
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

    /// Sends a response, and returns whether the connection remains open.
    private func send(_ response: SandboxResponse, to request: SandboxRequest) -> Bool {
        if response.delay > 0, cancelled.wait(timeout: .now() + response.delay) == .success { return false }
        let goesOn = request.wantsConnectionKept && !response.endsConnection
        return response.steps(forHead: request.method == "HEAD", keepAlive: goesOn).allSatisfy(perform) && goesOn
    }

    /// Performs one step on the connection, and returns whether it remains open.
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

    /// Responds to a request that could not be parsed.
    private func refuse(_ error: any Error, buffer: inout [UInt8]) {
        let response = error as? SandboxResponse ?? .empty(400)
        guard response.steps(forHead: false, keepAlive: false).allSatisfy(perform) else { return }
        // Closing with unread bytes would reset the connection and lose this response; so keep reading briefly.
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
    /// Whether the client intends to keep the connection open.
    fileprivate var wantsConnectionKept: Bool {
        if headers.lists("close", in: "Connection") { return false }
        return version == "HTTP/1.1" || headers.lists("keep-alive", in: "Connection")
    }
}
