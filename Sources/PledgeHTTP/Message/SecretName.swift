import PledgeCoding

/// The names of secrets: of headers, of items in a query or form, and of fields in JSON.
enum SecretName {
    /// Parts that make any name containing them secret: `X-Auth-Token`, `client_secret`, `Set-Cookie`.
    private static let parts = [
        "authorization", "cookie", "token", "secret", "password", "passwd", "passphrase", "credential", "assertion",
        "apikey", "accesskey", "privatekey", "signature", "sessionid",
    ]
    /// Names that are secret only as a whole: `status_code` is not.
    private static let wholes: Set<String> = [
        "code", "authcode", "devicecode", "usercode", "codeverifier", "auth", "jwt", "otp", "pin", "pwd", "sid", "key",
        "ticket",
    ]

    /// Whether values of this name are never shown. Case, hyphens, and underscores are ignored.
    static func matches(_ name: some StringProtocol) -> Bool {
        // Names may be percent-encoded, as in a URL.
        let name = name.contains("%") ? name.removingPercentEncoding ?? String(name) : String(name)
        // These names are ASCII; comparing other characters could take very long.
        let plain = String(
            decoding: name.lowercased().utf8.filter { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 }, as: UTF8.self)
        return wholes.contains(plain) || parts.contains { plain.contains($0) }
    }

    /// Returns a text without the values of such names: `code=…`, `"password": "…"`.
    static func hideValues(in text: String) -> String {
        let bytes = Array(text.utf8)
        var (hidden, start) = ([Range<Int>](), 0)
        for mark in bytes.indices where bytes[mark] == UInt8(ascii: "=") || bytes[mark] == UInt8(ascii: ":") {
            // No byte is read twice; otherwise a text consisting only of separators would take quadratic time.
            guard mark >= start else { continue }
            let (name, isQuoted) = name(before: mark, in: bytes, from: start)
            start = mark + 1
            // In a sentence, the text after a colon is the message itself: “password: too short”.
            guard bytes[mark] == UInt8(ascii: "=") || isQuoted, matches(String(decoding: bytes[name], as: UTF8.self))
            else { continue }
            hidden.append(value(after: mark, in: bytes))
            start = max(start, hidden[hidden.count - 1].upperBound)
        }
        return hidden.isEmpty ? text : Cut.text(bytes, without: hidden)
    }

    /// A quotation mark may itself be escaped, as in JSON within JSON.
    private static func name(before mark: Int, in bytes: [UInt8], from start: Int) -> (Range<Int>, isQuoted: Bool) {
        var end = mark
        while end > start, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
        let isQuoted = end > start && isQuote(bytes[end - 1])
        if isQuoted { end -= 1 }
        if isQuoted, end > start, bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
        var first = end
        while first > start, isNamed(bytes[first - 1]) { first -= 1 }
        return (first..<end, isQuoted)
    }

    private static func value(after mark: Int, in bytes: [UInt8]) -> Range<Int> {
        var first = mark + 1
        while first < bytes.count, bytes[first] == UInt8(ascii: " ") { first += 1 }
        let isEscaped = first + 1 < bytes.count && bytes[first] == UInt8(ascii: "\\") && isQuote(bytes[first + 1])
        if isEscaped { first += 1 }
        var end = first
        if first < bytes.count, isQuote(bytes[first]) {
            end += 1
            while end < bytes.count, bytes[end] != bytes[first] {
                end += bytes[end] == UInt8(ascii: "\\") && !isEscaped ? 2 : 1
            }
            if isEscaped, end < bytes.count, end > first + 1, bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
            return first + 1..<min(end, bytes.count)
        }
        while end < bytes.count, !"&;,\"'<> )]}\t\r\n".utf8.contains(bytes[end]) { end += 1 }
        return first..<end
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private static func isNamed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}

/// The values of such names in JSON.
struct SecretTexts: Readable {
    private(set) var texts: [String] = []

    init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
        try add(source, isSecret: false)
    }

    private mutating func add<Source: ValueSource>(_ value: Source, isSecret: Bool) throws(Source.Failure) {
        switch value.kind {
        case .object:
            try value.fields().forEach { (name, member) throws(Source.Failure) in
                try add(member, isSecret: isSecret || SecretName.matches(name))
            }
        case .list: try value.forEach { (_, item) throws(Source.Failure) in try add(item, isSecret: isSecret) }
        case .text: if isSecret { texts.append(try value.text()) }
        case .number:
            // A single digit is not a secret.
            guard isSecret, case .whole(let number) = try value.number(), number.magnitude > 9 else { return }
            texts.append(String(number))
        case .null, .bool: break
        }
    }
}
