import PledgeCoding

/// The names of secrets: of headers, of items in a query or form, and of fields in JSON.
enum SecretName {
    /// Parts that make any name containing them secret: `X-Auth-Token`, `client_secret`, `Set-Cookie`.
    static let parts = [
        "authorization", "cookie", "token", "secret", "password", "passwd", "passphrase", "credential", "assertion",
        "apikey", "accesskey", "privatekey", "signature", "sessionid",
    ]
    /// Names that are secret only as a whole: `status_code` is not.
    static let wholes: Set<String> = [
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

    /// Returns whether a text contains a value of such a name: `code=abc`, `"password": "abc"`.
    static func hasValue(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        var start = 0
        for mark in bytes.indices where bytes[mark] == UInt8(ascii: "=") || bytes[mark] == UInt8(ascii: ":") {
            // No byte is read twice; otherwise a text consisting only of separators would take quadratic time.
            let (name, isQuoted) = name(endingIn: bytes[start..<mark])
            start = mark + 1
            // In a sentence, the text after a colon is the message itself: “password: too short”.
            guard bytes[mark] == UInt8(ascii: "=") || isQuoted, matches(String(decoding: name, as: UTF8.self)) else {
                continue
            }
            let value = bytes[start...].first { $0 != UInt8(ascii: " ") }
            if let value, !"&;,".utf8.contains(value) { return true }
        }
        return false
    }

    /// Returns the name before a separator. Its quotation mark may itself be escaped, as in JSON within JSON.
    private static func name(endingIn text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, isQuoted: Bool) {
        var text = text
        while text.last == UInt8(ascii: " ") { text.removeLast() }
        let isQuoted = text.last == UInt8(ascii: "\"") || text.last == UInt8(ascii: "'")
        if isQuoted { text.removeLast() }
        if isQuoted, text.last == UInt8(ascii: "\\") { text.removeLast() }
        let before = text.lastIndex { !isAlphanumeric($0) && !"_-%".utf8.contains($0) }
        return (text[(before.map { $0 + 1 } ?? text.startIndex)...], isQuoted)
    }

    /// Returns the values of such names in JSON.
    static func values(in json: JSONValue, isSecret: Bool = false) -> [String] {
        switch json {
        case .object(let members): members.flatMap { values(in: $1, isSecret: isSecret || matches($0)) }
        case .array(let items): items.flatMap { values(in: $0, isSecret: isSecret) }
        case .string(let text): isSecret ? [text] : []
        // A single digit is not a secret.
        case .integer(let number): isSecret && number.magnitude > 9 ? ["\(number)"] : []
        case .null, .bool, .number, .decimal: []
        }
    }
}
