import Foundation
import PledgeCoding

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A reply as it was received.
public struct HTTPReply: Sendable {
    /// The address that was asked.
    public var url: URL
    /// The status code of the reply.
    public var status: Int
    /// The header lines, in the order they came.
    public var headers: HeaderFields
    /// The bytes of the body, unpacked.
    public var body: Data

    /// Makes a reply by hand, for transports and tests.
    public init(url: URL, status: Int, headers: HeaderFields = [:], body: Data = Data()) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The same as Foundation's class, for code that wants one.
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

extension HTTPReply: Discreet {
    /// Status, size and address; never the bytes, which are private.
    public var description: String { "\(status) with \(body.count) bytes from \(url.redacted)" }
}
