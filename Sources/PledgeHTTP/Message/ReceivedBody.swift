import Foundation
import PledgeFiles

/// The body of a response while it arrives. If the request specifies a file and the status is 200, the body is in a
/// temporary file. Otherwise, it is in memory.
struct ReceivedBody {
    private enum Store {
        case memory(Data)
        case file(Replacement, ResponseFile)
    }

    private let request: OutgoingRequest
    private var store: Store?
    private(set) var count = 0

    init(_ request: OutgoingRequest) { self.request = request }

    /// Throws if the response announces a body that is larger than the limit. The body itself has not been received at
    /// that time.
    func expect(_ headers: HeaderFields, status: Int) throws(TransportError) {
        let isEmpty = request.method == .head || status < 200 || status == 204 || status == 304
        // The announced length is ignored in two cases. For a compressed body, the length is that of the compressed
        // bytes. For a chunked body, HTTP requires the client to ignore the length.
        guard !isEmpty, headers["Content-Encoding"] == nil, headers["Transfer-Encoding"] == nil,
            let length = headers["Content-Length"].flatMap({ Int($0) })
        else { return }
        let limit = limit(status)
        if length > limit { throw .tooLarge(limit: limit) }
    }

    /// The maximum size of the body, in bytes.
    private func limit(_ status: Int) -> Int {
        guard let file = request.responseFile, status == 200 else { return request.bodyLimit }
        return file.limit
    }

    private mutating func begin(_ status: Int) throws(TransportError) {
        guard store == nil else { return }
        if let file = request.responseFile, status == 200 {
            store = .file(try file.writing { try Replacement(of: OutputPath(inFolderOf: file.url), old: nil) }, file)
        } else {
            store = .memory(Data())
        }
    }

    /// Adds bytes to the body. Throws if the body then exceeds the limit.
    mutating func append(_ bytes: UnsafeRawBufferPointer, status: Int) throws(TransportError) {
        try begin(status)
        count += bytes.count
        let limit = limit(status)
        guard count <= limit else { throw .tooLarge(limit: limit) }
        switch store {
        case .file(let replacement, let file)?:
            try file.writing { try replacement.file.writeAll(bytes) }
        case .memory(var data)?:
            // `store` gives up the bytes before they are changed. Otherwise, the bytes would have two owners, and
            // appending would copy them.
            store = nil
            data.append(bytes.assumingMemoryBound(to: UInt8.self))
            store = .memory(data)
        case nil: break
        }
    }

    mutating func append(_ bytes: Data, status: Int) throws(TransportError) {
        let outcome = bytes.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in try append(bytes, status: status) }
        }
        try outcome.get()
    }

    /// Returns the complete response. If the body is in a temporary file, that file is first moved to its final place.
    mutating func response(_ status: Int, _ headers: HeaderFields) throws(TransportError) -> RawResponse {
        try begin(status)
        var response = RawResponse(url: request.url, status: status, headers: headers)
        switch store {
        case .file(let replacement, let file)?:
            response.fileSize = count
            try file.writing { try replacement.replaceOriginal(syncs: false) }
            response.file = file.url
        case .memory(let data)?: response.body = data
        case nil: break
        }
        return response
    }
}

extension RawResponse {
    /// Returns the response with its body in the request's file. A transport that streams has already put the body
    /// there; for any other transport, this method does so.
    func withBodyInFile(of request: OutgoingRequest) throws(TransportError) -> RawResponse {
        guard file == nil, status == 200, request.responseFile != nil else { return self }
        var received = ReceivedBody(request)
        try received.append(body, status: status)
        return try received.response(status, headers)
    }
}

/// The file for the body of a successful response.
package struct ResponseFile: Sendable {
    let url: URL
    /// The maximum size of the body, in bytes.
    let limit: Int

    /// Performs work on the file. Converts an error into a ``TransportError``.
    func writing<Value>(_ work: () throws -> Value) throws(TransportError) -> Value {
        guard url.isFileURL else { throw .unwritable("the URL is not a file URL") }
        do {
            return try work()
        } catch {
            // The error leaves out the path, because it may be private.
            let code = (error as? FileError)?.code ?? 0
            throw .unwritable(code == 0 ? "the file cannot be replaced" : String(cString: strerror(code)))
        }
    }
}
