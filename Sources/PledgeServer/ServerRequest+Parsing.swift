extension ServerRequest {
    /// Parses the request line; fields and the body follow.
    init(line: ArraySlice<UInt8>, connection: Int) throws {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, Self.isToken(words[0]), Self.isTarget(words[1]), words[2].hasPrefix("HTTP/") else {
            throw ServerResponse.text("The first line of the request is malformed.", status: 400)
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw ServerResponse.text("Only HTTP/1.1 and HTTP/1.0 are spoken here.", status: 505)
        }
        (method, target, version) = (String(words[0]), String(words[1]), String(words[2]))
        query = words[1].firstIndex(of: "?").map { String(words[1][$0...].dropFirst().prefix { $0 != "#" }) }
        queryItems = Self.items(of: query ?? "")
        self.connection = connection
    }

    mutating func addField(line: ArraySlice<UInt8>) throws {
        let text = String(decoding: line, as: UTF8.self)
        // Some implementations treat a bare carriage return as a line end, others do not.
        let isControl: (UInt8) -> Bool = { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
        guard !line.contains(where: isControl), let colon = text.firstIndex(of: ":"), Self.isToken(text[..<colon])
        else {
            throw ServerResponse.text("A header field is malformed.", status: 400)
        }
        headers.append(String(text[..<colon]), text[text.index(after: colon)...].trimmingSpaces())
    }

    /// Returns the body's length; nil if it is chunked. Throws if fields conflict: guessing permits request smuggling.
    func bodyLength() throws -> Int? {
        if version == "HTTP/1.1", headers.values(of: "Host").count != 1 {
            throw ServerResponse.text("HTTP/1.1 demands one Host field.", status: 400)
        }
        let lengths = Set(headers.values(of: "Content-Length"))
        let codings = headers.values(of: "Transfer-Encoding")
        if !codings.isEmpty {
            guard lengths.isEmpty else {
                throw ServerResponse.text("Content-Length and Transfer-Encoding exclude each other.", status: 400)
            }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw ServerResponse.text("The only transfer coding known here is chunked.", status: 501)
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
        // Every server must accept an absolute URL, as a proxy receives it.
        let beginsRight = text.hasPrefix("/") || text.hasPrefix("http://") || text.hasPrefix("https://")
        return (beginsRight || text == "*") && text.utf8.allSatisfy { $0 > 32 && $0 != 127 }
    }
}
