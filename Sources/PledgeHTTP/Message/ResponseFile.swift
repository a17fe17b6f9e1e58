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
        switch store {
        case .file(let replacement, let file)?:
            guard count <= file.limit else { throw .tooLarge(limit: file.limit) }
            try file.writing { try replacement.file.writeAll(bytes) }
        case .memory(var data)?:
            guard count <= request.bodyLimit else { throw .tooLarge(limit: request.bodyLimit) }
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
