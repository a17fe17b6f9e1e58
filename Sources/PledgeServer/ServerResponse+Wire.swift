import Foundation

extension ServerResponse {
    func steps(forHead: Bool, keepAlive: Bool) -> [ServerStep] {
        if let fault { return fault }
        // The reason phrase, which no client may rely on, is empty.
        var head = "HTTP/1.1 \(status) \r\n"
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
}

extension ServerHeaders.Field {
    /// The field as it is sent. A line break in a value, such as one from a request, becomes a space: it would begin
    /// another field.
    var line: String {
        let scalars = "\(name): \(value)".unicodeScalars.map { "\r\n\0".unicodeScalars.contains($0) ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)) + "\r\n"
    }
}
