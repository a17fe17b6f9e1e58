import Foundation
import PledgeCoding

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An HTTP response as it was received.
public struct RawResponse: Sendable {
    /// The URL that was requested.
    public var url: URL
    /// The status code of the response.
    public var status: Int
    /// The headers, in the order they were received.
    public var headers: HeaderFields
    /// The bytes of the body, after decompression; empty if they are in a file.
    public var body: Data
    /// The file that holds the body in place of the memory; see ``EndpointClient/download(_:to:atMost:progress:)``.
    public internal(set) var file: URL?
    /// The size of the body, wherever it is.
    package var byteCount: Int { file == nil ? body.count : fileSize }
    var fileSize = 0

    /// Creates a response for use in transports and tests.
    public init(url: URL, status: Int, headers: HeaderFields = [:], body: Data = Data()) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The response as Foundation's class, for code that requires one.
    public var urlResponse: URLResponse {
        var joined: [String: String] = [:]
        for field in headers.fields {
            joined[field.name] = joined[field.name].map { "\($0), \(field.value)" } ?? field.value
        }
        return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: joined)
            ?? URLResponse(
                url: url, mimeType: headers["Content-Type"], expectedContentLength: body.count, textEncodingName: nil)
    }
}

extension RawResponse: Redacted {
    /// The status code, size, and URL; never the body, which is private.
    public var description: String { "\(status) with \(byteCount) bytes from \(url.redacted)" }
}
