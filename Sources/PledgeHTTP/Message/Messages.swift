import Foundation
import PledgeCoding
import PledgeFiles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A complete request as a transport sends it.
public struct OutgoingRequest: Sendable {
    /// The HTTP method of the request.
    public var method: HTTPMethod
    /// An absolute `http` or `https` URL.
    public var url: URL
    /// All headers except those that only a transport sets. A request is refused if it has one of the following:
    /// `Host`, `Content-Length`, `Transfer-Encoding`, `Connection`, `Expect`, `TE`, `Trailer`, `Upgrade`, `Keep-Alive`,
    /// and every header whose name begins with `Proxy-`.
    public var headers: HeaderFields
    /// The bytes of the body, if any.
    public var body: Data? {
        didSet { bodyFiles = nil }
    }
    /// The body, if files are part of it; ``body`` is then not used. Only transports that stream use this property.
    var bodyFiles: FileBody?
    /// The file to which the body of a successful response is written; nil to keep the body in memory. Only transports
    /// that stream use this property.
    var responseFile: ResponseFile?
    /// The number of the attempt, counted from 1.
    package internal(set) var attempt = 1
    /// The object to which the transport reports the progress; nil if nobody wants to know it.
    var progress: TransferReporter?
    /// Whether the request still waits for other requests to the same origin. The transport sets the value. Nil if
    /// nobody wants to know it.
    var isWaiting: Locked<Bool>?
    /// The time limit for the whole exchange, in seconds.
    public var timeout: TimeInterval
    /// The maximum size of the response body after decompression, in bytes.
    public var bodyLimit: Int

    /// Creates a request for a transport to send. The parameters are the properties with the same names.
    public init(
        method: HTTPMethod = .get, url: URL, headers: HeaderFields = [:], body: Data? = nil,
        timeout: TimeInterval = 30, bodyLimit: Int = 64 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }
}

extension OutgoingRequest {
    /// The reason why the request may not be sent; nil if it may be sent. For example, a line break in a header could
    /// inject another header, and a length that the caller sets could inject another request.
    var problem: String? {
        if timeout.isNaN { return "the time limit is not a number" }
        // On Apple platforms, URLSession sends no body with these methods, and many servers ignore such a body.
        if [.get, .head].contains(method), body?.isEmpty == false || bodyFiles != nil {
            return "a \(method) has no body: put the values into the query, or use POST"
        }
        if !method.isValid { return "the method contains a character that is not allowed" }
        for field in headers.fields where !field.isValid {
            // The message leaves out the value, because it may be secret.
            return field.hasValidName
                ? "the header \(field.name) contains a character that is not allowed"
                : "the name of a header contains a character that is not allowed"
        }
        if let field = headers.fields.first(where: \.belongsToTransport) {
            return "the header \(field.name) frames or routes the message, and only the transport may set it: remove it"
        }
        if url.user != nil || url.password != nil { return "the URL contains a user name" }
        return url.scheme == "https" || url.scheme == "http" ? nil : "the address is neither http nor https"
    }
}

extension OutgoingRequest: Redacted {
    /// The method and URL. The headers are left out, because they include the token, and so is the body, because it is
    /// private.
    public var description: String { "\(method) \(url.redacted)" }
}

extension URL {
    /// The URL as a base for paths: without a query and a fragment, and with a slash at the end.
    package var asBase: URL {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        parts.query = nil
        parts.fragment = nil
        if !parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath += "/" }
        return parts.url ?? self
    }

    /// The URL in printable form, without user, password, query, and fragment.
    package var redacted: String {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return "an invalid URL"
        }
        parts.user = nil
        parts.password = nil
        parts.query = nil
        parts.fragment = nil
        return parts.string ?? "an invalid URL"
    }
}

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
    /// The file that contains the body; nil if the body is in memory. See
    /// ``EndpointClient/download(_:to:atMost:progress:)``.
    public internal(set) var file: URL?
    /// The size of the body, whether it is in memory or in a file.
    package var byteCount: Int { file == nil ? body.count : fileSize }
    var fileSize = 0

    /// Creates a response for use in transports and tests.
    public init(url: URL, status: Int, headers: HeaderFields = [:], body: Data = Data()) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the target of the first `Link` header with a relation, such as `next` for the next page of a list. The
    /// target is an absolute URL, which can be the path of an endpoint. Returns nil if there is no such header.
    public func link(_ relation: String) -> String? {
        let relation = relation.lowercased()
        for field in headers.fields where field.name.lowercased() == "link" {
            for link in WebLink.all(in: field.value) where link.relations.contains(relation) {
                if let target = URL(string: link.target, relativeTo: url) { return target.absoluteString }
            }
        }
        return nil
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
    /// The status code, size, and URL. The body is left out, because it is private.
    public var description: String { "\(status) with \(byteCount) bytes from \(url.redacted)" }
}

/// A link of a `Link` header, as RFC 8288 defines it: `<https://api.example.com/books?page=2>; rel="next"`.
private struct WebLink {
    var target: String
    /// The relations in lowercase. They are empty if the link is not about the response itself.
    var relations: [String] = []

    static func all(in header: String) -> [WebLink] {
        var links = [WebLink]()
        var rest = header[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            var link = WebLink(target: String(rest[rest.index(after: start)..<end]))
            rest = rest[rest.index(after: end)...]
            let parameters = parameters(&rest)
            if !parameters.contains(where: { $0.name == "anchor" }) {
                let relations = parameters.first { $0.name == "rel" }?.value.lowercased() ?? ""
                link.relations = relations.split(separator: " ").map(String.init)
            }
            links.append(link)
        }
        return links
    }

    /// Removes the parameters of a link from `rest`, including the comma after them, and returns them. Commas and
    /// semicolons between quotation marks are part of a value.
    private static func parameters(_ rest: inout Substring) -> [(name: String, value: String)] {
        var parameters = [String]()
        var text = ""
        var isQuoted = false
        var isEscaped = false
        while let character = rest.popFirst() {
            if isEscaped || isQuoted && character != "\"" && character != "\\" {
                text.append(character)
                isEscaped = false
            } else if character == "\"" {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = true
            } else if character == "," {
                break
            } else if character == ";" {
                parameters.append(text)
                text = ""
            } else {
                text.append(character)
            }
        }
        return (parameters + [text]).map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return (parts.first?.lowercased() ?? "", parts.count > 1 ? parts[1] : "")
        }
    }
}

/// The headers of a message, in order. Names are compared case-insensitively.
public struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// A single header: a name and a value.
    public struct Field: Sendable, Equatable {
        /// The name of the header, as written.
        public var name: String
        /// The value, without surrounding white space.
        public var value: String

        /// Creates a header from a name and a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Whether the name has only characters that HTTP permits in the name of a header.
        var hasValidName: Bool {
            !name.isEmpty && name.utf8.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        }

        /// Whether the header is valid. Neither the name nor the value of a valid header can end the line early.
        var isValid: Bool {
            hasValidName && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }

        /// Whether only a transport may set the header. Such a header says where the message ends, for which host it
        /// is, or what happens to the connection.
        ///
        /// Only the transport knows that. If a caller set a wrong length, a server could read one request as two.
        var belongsToTransport: Bool {
            Self.transportNames.contains { HeaderFields.isSame($0, name) }
                || HeaderFields.isSame(String(name.prefix(6)), "proxy-")
        }

        private static let transportNames = [
            "content-length", "transfer-encoding", "host", "connection", "expect", "te", "trailer", "upgrade",
            "keep-alive",
        ]
    }

    /// All headers, in the order they were added.
    public private(set) var fields: [Field]

    /// Creates headers from an array of fields.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates headers from a dictionary literal: `["Accept": "application/json"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first header with the given name; nil if there is no such header. Setting a value replaces all
    /// headers with that name. Setting nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Whether the content type says that the message is a web page. Firewalls, for example, send such responses.
    package var isHTML: Bool { self["Content-Type"]?.lowercased().contains("html") == true }

    /// Compares two names byte by byte and ignores the case of ASCII letters. Converting both to lowercase would take
    /// longer than everything else that is done for a request.
    fileprivate static func isSame(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        for (left, right) in zip(one.utf8, other.utf8) where left != right {
            let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= left | 0x20
            guard isLetter, left ^ right == 0x20 else { return false }
        }
        return true
    }
}

extension HeaderFields.Field: Redacted {
    /// The header as `Name: value` on one line. The value is left out if the name is that of a secret, or if the value
    /// contains a secret.
    public var description: String {
        let isSecret = SecretName.matches(name) || SecretName.hasValue(in: value)
        return "\(ServiceMessage.printable(name)): \(isSecret ? "…" : ServiceMessage.printable(value))"
    }
}

extension HeaderFields: Redacted {
    /// The headers, without the values of `Authorization`, `Cookie`, and other names of secrets.
    public var description: String { "[\(fields.map(\.description).joined(separator: ", "))]" }
}
