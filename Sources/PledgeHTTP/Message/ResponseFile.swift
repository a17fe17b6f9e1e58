import Foundation
import PledgeFiles

/// The file that the body of a successful response is written to.
package struct ResponseFile: Sendable {
    let url: URL
    /// The maximum size of the body, in bytes.
    let limit: Int

    /// Performs work on the file.
    func writing<Value>(_ work: () throws -> Value) throws(TransportError) -> Value {
        guard url.isFileURL else { throw .unwritable("the URL is not that of a file") }
        do {
            return try work()
        } catch {
            // Without the path, which may be private.
            let code = (error as? FileError)?.code ?? 0
            throw .unwritable(code == 0 ? "it is not one that can be replaced" : String(cString: strerror(code)))
        }
    }
}

/// The body of a response as it arrives: in memory, or in a file if there is one and the response is a 200.
struct ReceivedBody {
    private enum Store {
        case memory(Data)
        case file(Replacement, ResponseFile)
    }

    private let request: OutgoingRequest
    private var store: Store?
    private(set) var count = 0

    init(_ request: OutgoingRequest) { self.request = request }

    /// Fails if the response announces that its body is larger than the limit, so that none of it is received.
    func expect(_ headers: HeaderFields, status: Int) throws(TransportError) {
        let isEmpty = request.method == .head || status < 200 || status == 204 || status == 304
        // The length of a compressed body says nothing about the body, and that of a chunked one does not count.
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

    /// Adds bytes, unless they exceed the limit.
    mutating func append(_ bytes: UnsafeRawBufferPointer, status: Int) throws(TransportError) {
        try begin(status)
        count += bytes.count
        let limit = limit(status)
        guard count <= limit else { throw .tooLarge(limit: limit) }
        switch store {
        case .file(let replacement, let file)?:
            try file.writing { try replacement.file.writeAll(bytes) }
        case .memory(var data)?:
            // Otherwise the bytes would be copied, as two own them.
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

    /// Returns the response, with its file in place.
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
    /// The response with its body in the request's file, where a transport that streams has already put it.
    func withBodyInFile(of request: OutgoingRequest) throws(TransportError) -> RawResponse {
        guard file == nil, status == 200, request.responseFile != nil else { return self }
        var received = ReceivedBody(request)
        try received.append(body, status: status)
        return try received.response(status, headers)
    }
}
