import Foundation

/// A request as the server received it.
public struct ServerRequest: Hashable, Sendable {
    /// The request method, such as `GET`, in upper or lower case as it was received.
    public let method: String
    /// The request target from the request line, still percent-encoded, such as `/api/2/insights/?page=2`.
    public let target: String
    /// The protocol version from the request line: `HTTP/1.1` or `HTTP/1.0`.
    public let version: String
    /// All header fields, in the order in which they were received.
    public internal(set) var headers = ServerHeaders()
    /// The body, after decoding a chunked transfer; empty if the request has no body.
    public internal(set) var body = Data()
    /// The number of the connection that the request came on. The server numbers its connections from 1, and goes on
    /// counting when it is stopped and started again.
    public let connection: Int
    /// The values of the route's `{name}` segments, by their names. Requests in the server's log don't have them.
    public internal(set) var parameters: [String: String] = [:]

    /// The path of the target, percent-decoded.
    public var path: String {
        var raw = target.prefix { $0 != "?" && $0 != "#" }
        if let host = raw.range(of: "://")?.upperBound, !raw.hasPrefix("/") {
            raw = raw[host...].drop { $0 != "/" }
            if raw.isEmpty { return "/" }
        }
        return raw.removingPercentEncoding ?? String(raw)
    }

    /// The query of the target, still percent-encoded; nil if the target has no query.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[$0...].dropFirst().prefix { $0 != "#" }) }
    }

    /// The query items, decoded in the way in which servers decode forms: both `+` and `%20` become a space.
    public var queryItems: [URLQueryItem] { Self.items(of: query ?? "") }
}

extension ServerRequest {
    /// The body parsed as JSON; nil if the body is not valid JSON.
    public var json: ServerJSON? { ServerJSON(body) }

    /// Returns the value of a query item; nil if the query doesn't have the item. If the item is repeated, the last
    /// value counts, as in Django.
    public func queryValue(_ name: String) -> String? {
        queryItems.last { $0.name == name }?.value
    }

    /// Returns the value of a query item; nil if the query doesn't have the item, or if its value is empty. If the item
    /// is repeated, the last value counts.
    package func queryText(_ name: String) -> String? {
        queryValue(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the value of a field of the body, parsed as `application/x-www-form-urlencoded`; nil if the form doesn't
    /// have the field. If the field is repeated, the last value counts.
    public func formValue(_ name: String) -> String? {
        Self.items(of: String(decoding: body, as: UTF8.self)).last { $0.name == name }?.value
    }

    private static func items(of encoded: String) -> [URLQueryItem] {
        encoded.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return URLQueryItem(name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacingOccurrences(of: "+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }
}

extension ServerRequest {
    /// Parses the request line. The header fields and the body are added later.
    init(line: ArraySlice<UInt8>, connection: Int) throws {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, Self.isToken(words[0]), Self.isTarget(words[1]), words[2].hasPrefix("HTTP/") else {
            throw ServerResponse.text("The first line of the request is malformed.", status: 400)
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw ServerResponse.text("This server supports only HTTP/1.1 and HTTP/1.0.", status: 505)
        }
        method = String(words[0])
        target = String(words[1])
        version = String(words[2])
        self.connection = connection
    }

    mutating func addField(line: ArraySlice<UInt8>) throws {
        let text = String(decoding: line, as: UTF8.self)
        // A control character makes the field malformed. For example, some implementations treat a bare carriage return
        // as the end of the line and others don't, which attackers could exploit.
        let isControl: (UInt8) -> Bool = { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
        guard !line.contains(where: isControl), let colon = text.firstIndex(of: ":"), Self.isToken(text[..<colon])
        else {
            throw ServerResponse.text("A header field is malformed.", status: 400)
        }
        headers.append(String(text[..<colon]), text[text.index(after: colon)...].trimmingSpaces())
    }

    /// Returns the length of the body; nil if the body is chunked. Throws an error response if header fields contradict
    /// each other, because guessing the length would make request smuggling possible.
    func bodyLength() throws -> Int? {
        if version == "HTTP/1.1", headers.values(of: "Host").count != 1 {
            throw ServerResponse.text("HTTP/1.1 requires exactly one Host field.", status: 400)
        }
        let lengths = Set(headers.values(of: "Content-Length"))
        let codings = headers.values(of: "Transfer-Encoding")
        if !codings.isEmpty {
            guard lengths.isEmpty else {
                throw ServerResponse.text("Content-Length and Transfer-Encoding exclude each other.", status: 400)
            }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw ServerResponse.text("This server supports only the transfer coding “chunked”.", status: 501)
            }
            return nil
        }
        guard let text = lengths.first else { return 0 }
        guard lengths.count == 1, text.utf8.allSatisfy({ (48...57).contains($0) }), !text.isEmpty else {
            throw ServerResponse.text("Content-Length is not a number.", status: 400)
        }
        return Int(text) ?? Int.max
    }

    var expectsContinue: Bool { version == "HTTP/1.1" && headers.lists("100-continue", in: "Expect") }

    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
    }

    private static func isTarget(_ text: Substring) -> Bool {
        // A client sends an absolute URL to a proxy, and HTTP requires every server to accept that form, too.
        let beginsRight = text.hasPrefix("/") || text.hasPrefix("http://") || text.hasPrefix("https://")
        return (beginsRight || text == "*") && text.utf8.allSatisfy { $0 > 32 && $0 != 127 }
    }
}

/// Header fields, in the order in which they are sent. The names of fields are compared case-insensitively.
public struct ServerHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A header field, which has a name and a value.
    public struct Field: Hashable, Sendable {
        /// The name, in upper or lower case as it was sent.
        public let name: String
        /// The value without surrounding white space.
        public let value: String

        /// Creates a header field with a name and a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order. Several fields may have the same name.
    public private(set) var fields: [Field]

    /// Creates headers from fields, preserving their order.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates headers from a literal such as `["Retry-After": "2"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first field with the given name. Setting a value replaces all fields with that name, and
    /// setting nil removes them.
    public subscript(name: String) -> String? {
        get { values(of: name).first }
        set {
            let wanted = name.lowercased()
            fields.removeAll { $0.name.lowercased() == wanted }
            if let newValue { append(name, newValue) }
        }
    }

    /// Returns the values of all fields with the given name.
    public func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// Adds a field at the end, even if there already is a field with that name.
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Returns whether a comma-separated field contains a word. For example, `Connection: keep-alive, close` contains
    /// `close`.
    func lists(_ word: String, in name: String) -> Bool {
        values(of: name)
            .flatMap { $0.lowercased().split(separator: ",") }
            .contains { $0.trimmingSpaces() == word }
    }
}

extension StringProtocol {
    /// Returns the text without leading and trailing spaces and tabs. HTTP allows no other white space around the value
    /// of a field.
    func trimmingSpaces() -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
