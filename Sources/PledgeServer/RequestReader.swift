import Foundation

/// Reads the requests of a connection, one after another. Reading blocks until a request is complete.
///
/// The reader gets its bytes from a closure, so that tests don't need a socket. If a request is malformed, `next`
/// throws the response to send, and no further request can be read.
struct RequestReader {
    static let headLimit = 64 * 1024
    static let bodyLimit = 16 * 1024 * 1024

    /// An error that is thrown when the connection ends. That may be between two requests, or in the middle of a
    /// request.
    struct ConnectionEnded: Error {}

    let connection: Int
    /// Blocks until more bytes arrive, and returns them. At the end of the connection, returns an empty array.
    let receive: () -> [UInt8]
    /// Tells a client that waits for `100 Continue` to send the body.
    let permitBody: () -> Void

    /// The bytes that were received, but are not part of any request yet.
    private var received: ArraySlice<UInt8> = []
    /// The number of header bytes of the current request so far. Their number is limited.
    private var lineBytes = 0

    init(connection: Int, receive: @escaping () -> [UInt8], permitBody: @escaping () -> Void) {
        self.connection = connection
        self.receive = receive
        self.permitBody = permitBody
    }

    mutating func next() throws -> ServerRequest {
        lineBytes = 0
        var line = try readLine()
        // Some clients send a line break after the body of a request. RFC 9112 requires servers to skip it before the
        // next request.
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
            // The lines with the sizes of chunks don't count toward the limit for header bytes.
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

    /// Returns the next line, without the CRLF or bare LF at its end.
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
        // A number that doesn't fit in `Int` is larger than the limit for bodies in any case.
        return Int(digits, radix: 16) ?? Int.max
    }

    private static let tooLarge = ServerResponse.text("The body is larger than 16 MB.", status: 413)
    private static let malformedChunk = ServerResponse.text("The chunked body is malformed.", status: 400)
}
