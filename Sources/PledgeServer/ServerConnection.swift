import Dispatch
import Foundation

/// A connection that reads requests and responds to them in order, on its own thread.
final class ServerConnection: Sendable {
    private let descriptor: Int32
    /// The descriptor; nil once it is closed, because the system may then reuse its number.
    private let open: Protected<Int32?>
    private let cancelled = DispatchSemaphore(value: 0)

    init(descriptor: Int32) {
        self.descriptor = descriptor
        open = Protected(descriptor)
    }

    /// Ends the connection, which wakes its thread from any wait.
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
        // Closing with unread bytes would reset the connection and lose this response, so keep reading briefly.
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

/// Reads a connection's requests in order, blocking until each is complete. It uses no socket, so that tests need only
/// bytes. If a request is malformed, `next` throws the response to send, and no further request can be read.
struct RequestReader {
    static let headLimit = 64 * 1024
    static let bodyLimit = 16 * 1024 * 1024

    /// Thrown when the connection ends, whether between requests or within one.
    struct ConnectionEnded: Error {}

    let connection: Int
    /// Blocks until more bytes arrive; returns none at the end of the connection.
    let receive: () -> [UInt8]
    /// Tells a client that waits for `100 Continue` to send the body.
    let permitBody: () -> Void

    /// The received bytes that are not consumed yet.
    private var received: ArraySlice<UInt8> = []
    /// The header bytes of this request so far, for the limit.
    private var lineBytes = 0

    init(connection: Int, receive: @escaping () -> [UInt8], permitBody: @escaping () -> Void) {
        self.connection = connection
        self.receive = receive
        self.permitBody = permitBody
    }

    mutating func next() throws -> ServerRequest {
        lineBytes = 0
        var line = try readLine()
        // RFC 9112 requires skipping a blank line left over from the previous body.
        while line.isEmpty { line = try readLine() }
        var request = try ServerRequest(line: line, connection: connection)
        while case let line = try readLine(), !line.isEmpty { try request.addField(line: line) }
        request.body = try readBody(of: request)
        return request
    }

    private mutating func readBody(of head: ServerRequest) throws -> Data {
        let length = try head.bodyLength()
        guard length ?? 0 <= Self.bodyLimit else { throw Self.tooLarge }
        if head.expectsContinue, length != 0, received.isEmpty { permitBody() }
        if let length { return try read(length) }
        var body = Data()
        while case let size = try Self.chunkSize(readLine()), size > 0 {
            guard size <= Self.bodyLimit - body.count else { throw Self.tooLarge }
            body += try read(size)
            guard try readLine().isEmpty else { throw Self.malformedChunk }
            // Chunk-size lines do not count toward the limit of header lines.
            lineBytes = 0
        }
        while try !readLine().isEmpty {}
        return body
    }

    private mutating func read(_ count: Int) throws -> Data {
        var bytes = Data()
        while true {
            let piece = received.prefix(count - bytes.count)
            bytes.append(contentsOf: piece)
            received.removeFirst(piece.count)
            if bytes.count == count { return bytes }
            try receiveMore()
        }
    }

    /// Returns the next line without its CRLF or bare LF.
    private mutating func readLine() throws -> ArraySlice<UInt8> {
        while true {
            let end = received.firstIndex(of: UInt8(ascii: "\n"))
            guard lineBytes + (end ?? received.endIndex) - received.startIndex <= Self.headLimit else {
                throw ServerResponse.text("The header is larger than 64 kB.", status: 431)
            }
            if let end {
                let line = received[..<end]
                lineBytes += line.count + 1
                received = received[(end + 1)...]
                return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            }
            try receiveMore()
        }
    }

    private mutating func receiveMore() throws {
        let bytes = receive()
        guard !bytes.isEmpty else { throw ConnectionEnded() }
        received += bytes
    }

    private static func chunkSize(_ line: ArraySlice<UInt8>) throws -> Int {
        let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self).trimmingSpaces()
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { throw malformedChunk }
        // More digits than fit in `Int` exceed the body limit anyway.
        return Int(digits, radix: 16) ?? Int.max
    }

    private static let tooLarge = ServerResponse.text("The body is larger than 16 MB.", status: 413)
    private static let malformedChunk = ServerResponse.text("The chunked body is malformed.", status: 400)
}
