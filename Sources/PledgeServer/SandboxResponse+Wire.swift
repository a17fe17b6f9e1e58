import Foundation

extension SandboxResponse {
    func steps(forHead: Bool, keepAlive: Bool) -> [SandboxStep] {
        if let fault { return fault }
        var head = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Status")\r\n"
        for field in headers.fields { head += field.line }
        let mayHaveBody = status >= 200 && status != 204 && status != 304
        if mayHaveBody, headers["Content-Length"] == nil, headers["Transfer-Encoding"] == nil {
            head += "Content-Length: \(body.count)\r\n"
        }
        if headers["Connection"] == nil { head += "Connection: \(keepAlive ? "keep-alive" : "close")\r\n" }
        head += "\r\n"
        return [.send(mayHaveBody && !forHead ? Data(head.utf8) + body : Data(head.utf8))]
    }

    var endsConnection: Bool { fault != nil || headers.lists("close", in: "Connection") }

    private static let reasons = [
        100: "Continue", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
        301: "Moved Permanently", 302: "Found", 304: "Not Modified",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 413: "Content Too Large",
        415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
        431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]
}

extension SandboxHeaders.Field {
    /// The field as it is sent. A line break in a value, such as one from a request, becomes a space: it would begin
    /// another field.
    var line: String {
        let scalars = "\(name): \(value)".unicodeScalars.map { "\r\n\0".unicodeScalars.contains($0) ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)) + "\r\n"
    }
}
