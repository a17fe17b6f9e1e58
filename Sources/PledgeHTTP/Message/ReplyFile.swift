import Foundation

/// The file that the body of a successful response is written to.
struct ReplyFile: Sendable {
    let url: URL
    /// The maximum size of the body, in bytes.
    let limit: Int

    /// Whether the body of a response with this status code may be the file: a whole one, or a part that was asked for.
    static func mayHold(_ status: Int, for request: OutgoingRequest) -> Bool {
        status == 200 || status == 206 && request.headers["Range"] != nil
    }

    /// Whether a response is what was asked for, which a part is only if it begins where that was to begin.
    static func holds(_ reply: HTTPReply, for request: OutgoingRequest) -> Bool {
        guard mayHold(reply.status, for: request) else { return false }
        guard reply.status == 206, let asked = request.headers["Range"] else { return true }
        guard let sent = reply.headers["Content-Range"], asked.hasPrefix("bytes="), sent.hasPrefix("bytes ") else {
            return false
        }
        let (range, size) = (
            asked.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false), sent.dropFirst(6)
        )
        let first = size.prefix { $0 != "-" }
        let last = size.dropFirst(first.count + 1).prefix { $0 != "/" }
        guard range.count == 2, let start = Int(first), let end = Int(last), start <= end else { return false }
        // The last bytes, wherever they begin.
        guard let from = Int(range[0]) else { return Int(range[1]).map { end - start < $0 } ?? false }
        return start == from && end <= Int(range[1]) ?? .max
    }
}

/// A file that takes the place of another one when it is complete, and is removed if it never is.
final class PartialFile {
    private let target: URL
    private let path: String
    private let descriptor: Int32
    private var isComplete = false

    /// Creates the file next to its target, accessible to its owner only.
    init(for target: URL) throws(TransportError) {
        guard target.isFileURL else { throw .unwritable("the URL is not that of a file") }
        self.target = target
        path = target.deletingLastPathComponent().path + "/.pledge-\(UUID().uuidString)"
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure() }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if !isComplete { unlink(path) }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure() }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Puts the file in its place.
    func complete() throws(TransportError) {
        guard rename(path, target.path) == 0 else { throw Self.failure() }
        isComplete = true
    }

    /// The error of the last call, without the path, which may be private.
    private static func failure() -> TransportError { .unwritable(String(cString: strerror(errno))) }
}

/// The body of a response as it arrives: in memory, or in a file if there is one and the response may be it.
struct ReceivedBody {
    private enum Store {
        case memory(Data)
        case file(PartialFile)
    }

    private let request: OutgoingRequest
    private var store: Store?
    private(set) var count = 0

    init(_ request: OutgoingRequest) { self.request = request }

    private mutating func begin(_ status: Int) throws(TransportError) {
        guard store == nil else { return }
        if let file = request.replyFile, ReplyFile.mayHold(status, for: request) {
            store = .file(try PartialFile(for: file.url))
        } else {
            store = .memory(Data())
        }
    }

    /// Adds bytes, unless they exceed the limit.
    mutating func append(_ bytes: UnsafeRawBufferPointer, status: Int) throws(TransportError) {
        try begin(status)
        count += bytes.count
        switch store {
        case .file(let file)?:
            let limit = request.replyFile?.limit ?? 0
            guard count <= limit else { throw .tooLarge(limit: limit) }
            try file.append(bytes)
        case .memory(var data)?:
            guard count <= request.bodyLimit else { throw .tooLarge(limit: request.bodyLimit) }
            // Otherwise the bytes would be copied, as two own them.
            store = nil
            data.append(bytes.assumingMemoryBound(to: UInt8.self))
            store = .memory(data)
        case nil: break
        }
    }

    /// Returns the response, with its file in place.
    mutating func reply(_ status: Int, _ headers: HeaderFields) throws(TransportError) -> HTTPReply {
        try begin(status)
        var reply = HTTPReply(url: request.url, status: status, headers: headers)
        switch store {
        case .file(let file)?:
            reply.byteCount = count
            guard ReplyFile.holds(reply, for: request) else {
                // Removes what was received, before anyone learns that it is not what was asked for.
                store = nil
                break
            }
            try file.complete()
            reply.file = request.replyFile?.url
        case .memory(let data)?: reply.body = data
        case nil: break
        }
        return reply
    }
}

extension HTTPReply {
    /// Moves the body to a file, for a transport that does not stream.
    mutating func moveBody(to file: ReplyFile, for request: OutgoingRequest) throws(TransportError) {
        guard self.file == nil, ReplyFile.holds(self, for: request) else { return }
        guard body.count <= file.limit else { throw .tooLarge(limit: file.limit) }
        let partial = try PartialFile(for: file.url)
        let outcome = body.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in
                try partial.append(bytes)
                try partial.complete()
            }
        }
        try outcome.get()
        (self.file, byteCount, body) = (file.url, body.count, Data())
    }
}
