import Foundation

/// Parses the bytes of one connection into requests, however the bytes are split.
///
/// A pure value: it never touches a socket, so every fault can be tested with bytes alone. A malformed request throws
/// the response to send; nothing after it can be parsed.
struct RequestParser {
    static let headLimit = 64 * 1024
    static let bodyLimit = 16 * 1024 * 1024

    enum Step: Equatable {
        /// More bytes are needed first.
        case incomplete
        /// The client waits for `100 Continue`.
        case continueExpected
        case request(SandboxRequest)
    }

    private enum Stage {
        case firstLine
        case fields(RequestHead)
        case body(RequestHead, missing: Int)
        case chunkSize(RequestHead)
        case chunk(RequestHead, missing: Int)
        case chunkEnd(RequestHead)
        case trailers(RequestHead)
    }

    private let connection: Int
    private var received = ReceivedBytes()
    private var stage = Stage.firstLine
    /// The number of header bytes so far, which the limit applies to.
    private var lineBytes = 0
    private var body = Data()

    init(connection: Int) {
        self.connection = connection
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        received.append(bytes)
    }

    /// Parses as far as the available bytes allow.
    mutating func next() throws -> Step {
        while true {
            switch stage {
            case .firstLine:
                guard let line = try takeLine() else { return .incomplete }
                // A blank line before a request may be left over from the previous body; RFC 9112 says to skip it.
                if !line.isEmpty { stage = .fields(try RequestHead(line: line)) }
            case .fields(var head):
                guard let line = try takeLine() else { return .incomplete }
                if line.isEmpty {
                    if try beginBody(of: head) { return .continueExpected }
                } else {
                    try head.addField(line: line)
                    stage = .fields(head)
                }
            case .body(let head, let missing):
                let left = takeBody(missing)
                stage = .body(head, missing: left)
                return left == 0 ? finish(head) : .incomplete
            case .chunkSize(let head):
                guard let line = try takeLine() else { return .incomplete }
                let size = try Self.chunkSize(line)
                guard size <= Self.bodyLimit - body.count else { throw Self.tooLarge }
                stage = size == 0 ? .trailers(head) : .chunk(head, missing: size)
            case .chunk(let head, let missing):
                let left = takeBody(missing)
                stage = left == 0 ? .chunkEnd(head) : .chunk(head, missing: left)
                if left > 0 { return .incomplete }
            case .chunkEnd(let head):
                guard let line = try takeLine() else { return .incomplete }
                guard line.isEmpty else { throw Self.malformedChunk }
                // A long body has many chunk-size lines; they are not header lines and do not count toward the limit.
                lineBytes = 0
                stage = .chunkSize(head)
            case .trailers(let head):
                guard let line = try takeLine() else { return .incomplete }
                if line.isEmpty { return finish(head) }
            }
        }
    }
}

extension RequestParser {
    /// Moves on to the body; returns `true` when the client waits for permission to send it.
    private mutating func beginBody(of head: RequestHead) throws -> Bool {
        switch try head.framing() {
        case .chunked:
            stage = .chunkSize(head)
        case .length(let length):
            guard length <= Self.bodyLimit else { throw Self.tooLarge }
            stage = .body(head, missing: length)
            if length == 0 { return false }
        }
        return head.expectsContinue && received.count == 0
    }

    private mutating func takeBody(_ missing: Int) -> Int {
        let piece = received.take(upTo: missing)
        body.append(contentsOf: piece)
        return missing - piece.count
    }

    private mutating func takeLine() throws -> ArraySlice<UInt8>? {
        let line = received.takeLine()
        lineBytes += line.map { $0.count + 2 } ?? 0
        guard lineBytes + (line == nil ? received.count : 0) <= Self.headLimit else {
            throw SandboxResponse.text("The header is larger than 64 kB.", status: 431)
        }
        return line
    }

    private mutating func finish(_ head: RequestHead) -> Step {
        defer {
            stage = .firstLine
            lineBytes = 0
            body = Data()
        }
        return .request(
            SandboxRequest(
                method: head.method, target: head.target, version: head.version, headers: head.headers, body: body,
                connection: connection))
    }

    private static func chunkSize(_ line: ArraySlice<UInt8>) throws -> Int {
        let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self).trimmingBlanks()
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { throw malformedChunk }
        // More digits than fit in `Int` exceed the body limit anyway.
        return Int(digits, radix: 16) ?? Int.max
    }

    private static let tooLarge = SandboxResponse.text("The body is larger than 16 MB.", status: 413)
    private static let malformedChunk = SandboxResponse.text("The chunked body is malformed.", status: 400)
}
