import Foundation
import PledgeCoding

/// The secrets of a request. If a text in the response repeats one of them, the whole text is left out.
///
/// A secret is found in three forms: as it was sent, with JSON's escapes, and percent-encoded. It is also found if one
/// of these forms is nested in another.
package struct Secrets: Sendable {
    /// The beginnings of the secrets. Only these are compared, because some services show only the first letters of a
    /// value.
    private let patterns: Set<Data>
    private static let patternLength = 16

    package static let none = Secrets([])

    private init(_ texts: [String]) {
        // A form encodes a space as a plus sign.
        let forms = texts.flatMap { [$0, $0.replacingOccurrences(of: " ", with: "+")] }
        patterns = Set(forms.map { Self.visible($0).prefix(Self.patternLength) }).subtracting([Data()])
    }

    init(tokens: [String]) { self.init(tokens) }

    /// Collects the secrets of a request that was sent. They are its credential, and every value whose name is well
    /// known as the name of a secret. Such names are searched for in the request's headers, URL, form, and JSON.
    package init(_ request: OutgoingRequest) {
        var found: [String] = []
        for field in request.headers.fields where SecretName.matches(field.name) {
            found += Self.credentials(field.name.lowercased(), field.value)
        }
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        found += [parts?.password].compactMap { $0 } + Self.values(inForm: parts?.percentEncodedQuery ?? "")
        if let body = request.bodyFiles?.fields ?? request.body {
            let type = request.headers["Content-Type"]?.lowercased() ?? ""
            if type.contains("urlencoded") {
                found += Self.values(inForm: String(decoding: body, as: UTF8.self))
            } else if type.contains("multipart") {
                found += Self.values(inParts: body)
            } else if let json = Self.json(body) {
                found += SecretName.values(in: json)
            } else {
                // The body is not JSON, or is nested too deeply.
                let pieces = String(decoding: body, as: UTF8.self).components(separatedBy: "\"")
                for index in pieces.indices.dropLast(2)
                where SecretName.matches(pieces[index]) && pieces[index + 1].contains(":") {
                    found.append(pieces[index + 2])
                }
            }
        }
        self.init(found)
    }

    private static func credentials(_ name: String, _ value: String) -> [String] {
        if name.contains("cookie") {
            return value.split(separator: ";").compactMap { rest(of: $0, after: "=") }
        }
        let words = value.split(separator: " ", maxSplits: 1).map(String.init)
        guard name.contains("authorization"), words.count == 2 else { return [value] }
        guard words[0].lowercased() == "basic", let bytes = Data(base64Encoded: words[1]) else { return [words[1]] }
        let pair = String(decoding: bytes, as: UTF8.self)
        return [words[1], pair] + [rest(of: pair, after: ":")].compactMap { $0 }
    }

    private static func rest(of text: some StringProtocol, after mark: Character) -> String? {
        text.firstIndex(of: mark).map { String(text.suffix(from: text.index(after: $0))) }
    }

    private static func values(inForm form: String) -> [String] {
        form.split(separator: "&").compactMap { pair in
            guard let written = rest(of: pair, after: "="), SecretName.matches(pair.prefix { $0 != "=" }) else {
                return nil
            }
            let spaced = written.replacingOccurrences(of: "+", with: " ")
            return spaced.removingPercentEncoding ?? spaced
        }
    }

    /// Returns the secrets of a multipart form. Each part ends where the next one begins.
    private static func values(inParts body: Data) -> [String] {
        let mark = Data("\r\n--".utf8)
        let gap = Data("\r\n\r\n".utf8)
        var found = [String]()
        var rest = body[...]
        while let end = rest.range(of: gap) {
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self).components(separatedBy: "name=\"")
            let value = rest[end.upperBound...]
            let next = value.range(of: mark)?.lowerBound ?? value.endIndex
            if head.count > 1, SecretName.matches(head[1].prefix { $0 != "\"" }) {
                found.append(String(decoding: value[..<next], as: UTF8.self))
            }
            rest = value[next...]
        }
        return found
    }

    /// Returns a body as JSON. Returns nil if the body isn't JSON, or is nested too deeply to be decoded.
    private static func json(_ body: Data) -> JSONValue? {
        try? TapeDecoder.decode(JSONValue.self, from: JSONTape(body))
    }

    /// Returns a text, or “…” if the text contains a secret or a value whose name is well known as the name of a
    /// secret.
    package func hide(_ text: String) -> String { occur(in: text) || SecretName.hasValue(in: text) ? "…" : text }

    private func occur(in text: String, nesting: Int = 2) -> Bool {
        let bytes = Self.visible(text)
        if patterns.contains(where: { bytes.range(of: $0) != nil }) { return true }
        return nesting > 0
            && [EscapedText.percentDecoded, EscapedText.jsonUnescaped].contains { unescape in
                unescape(text).map { occur(in: $0, nesting: nesting - 1) } ?? false
            }
    }

    /// Returns the bytes of a text without white space and invisible characters. A message is shown without these, so a
    /// secret is searched for without them, too.
    private static func visible(_ text: String) -> Data {
        Data(text.unicodeScalars.lazy.filter { !$0.isInvisible && !$0.properties.isWhitespace }.flatMap { $0.utf8 })
    }
}

extension Secrets {
    /// Returns the headers without this request's secrets. Other values are kept even if their names are well known as
    /// names of secrets, because such values are never printed.
    func hide(_ headers: HeaderFields) -> HeaderFields {
        let shown = { occur(in: $0) ? "…" : $0 }
        return HeaderFields(headers.fields.map { HeaderFields.Field(name: shown($0.name), value: shown($0.value)) })
    }

    /// Returns the response as an error keeps it: without this request's secrets, and without a large body. The URL is
    /// that of `context`, because the response's own URL may come from a redirect and repeat a secret.
    func hide(_ response: RawResponse, of context: RequestContext) -> RawResponse {
        var shown = response
        shown.url = URL(string: context.url) ?? URL(fileURLWithPath: "/")
        shown.headers = hide(response.headers)
        shown.body = response.body.count <= ExchangeError.largestKeptBody ? hide(response.body) : Data()
        return shown
    }

    /// Returns the body with “…” in place of each text in its JSON that repeats a secret. If the result still contains
    /// a secret, returns an empty body.
    private func hide(_ body: Data) -> Data {
        func repeatsSecret(_ body: Data) -> Bool { occur(in: String(decoding: body, as: UTF8.self)) }
        guard !patterns.isEmpty, repeatsSecret(body) else { return body }
        guard let shown = Self.json(body).flatMap({ try? JSONEncoder.repeatable().encode(hide($0)) }) else {
            return Data()
        }
        return repeatsSecret(shown) ? Data() : shown
    }

    private func hide(_ json: JSONValue) -> JSONValue {
        switch json {
        case .string(let text): .string(occur(in: text) ? "…" : text)
        case .array(let items): .array(items.map(hide))
        case .object(let members):
            .object(
                Dictionary(
                    members.map { (occur(in: $0) ? "…" : $0, hide($1)) }, uniquingKeysWith: { first, _ in first }))
        case .null, .bool, .integer, .number, .decimal: json
        }
    }

    /// Returns the error itself, or an error without a text if the text of the error contains a secret of the request.
    /// Other values are left out only when the error is printed, so that a caller still finds an error of its own; see
    /// `text(of:)`.
    func hide(_ error: any Error) -> any Error { occur(in: "\(error)") ? RedactedError() : error }

    /// Returns the text of any error, or “…” if the text contains a value whose name is well known as the name of a
    /// secret.
    static func text(of error: any Error) -> String {
        let text = "\(error)"
        // The texts of Foundation's errors contain numbers such as `Code=-1001`, which are not secret.
        let others = text.replacingOccurrences(of: "Code=-?[0-9]+", with: "", options: .regularExpression)
        return SecretName.hasValue(in: others) ? "…" : text
    }

    private struct RedactedError: Error, CustomStringConvertible {
        var description: String { "…" }
    }

    func hide(_ response: UnreadableResponse) -> UnreadableResponse {
        guard case .unexpected(let path, let problem) = response else { return response }
        return .unexpected(
            path: ServiceMessage.printable(hide(path)), problem: ServiceMessage.printable(hide(problem)))
    }

    func hide(_ error: TransportError) -> TransportError {
        switch error {
        case .unreachable(let detail): .unreachable(hide(detail))
        case .connectionLost(let detail): .connectionLost(hide(detail))
        case .untrusted(let detail): .untrusted(hide(detail))
        case .badResponse(let detail): .badResponse(hide(detail))
        case .unsendable(let detail): .unsendable(hide(detail))
        default: error
        }
    }

    func hide(_ reason: ExchangeError.Reason) -> ExchangeError.Reason {
        switch reason {
        case .credential(let error): .credential(hide(error))
        case .transport(let error): .transport(hide(error))
        case .redirected(let target): .redirected(to: target.map(hide))
        case .unreadable(let problem): .unreadable(hide(problem))
        case .other(let error): .other(hide(error))
        case .badRequest, .status, .cancelled, .limited, .overBudget: reason
        }
    }
}

extension Secrets: Redacted {
    /// The number of patterns. The description never contains their text.
    package var description: String { "Secrets(\(patterns.count))" }
}

/// Decodes the escapes with which a service may repeat a secret.
enum EscapedText {
    /// Returns a text in which escapes such as `%2F` are decoded; nil if it has none.
    static func percentDecoded(_ text: String) -> String? {
        unescaped(Array(text.utf8), UInt8(ascii: "%")) { rest in number(rest.prefix(2), digits: 2).map { ($0, 2) } }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a text in which JSON's escapes, such as `\/`, `\n`, and `\u002f`, are decoded; nil if it has none.
    static func jsonUnescaped(_ text: String) -> String? {
        unescaped(Array(text.utf16), backslash) { rest in
            guard let kind = rest.first else { return nil }
            if let unit = units[kind] { return (unit, 1) }
            return kind == letterU ? number(rest.dropFirst().prefix(4), digits: 4).map { ($0, 5) } : nil
        }.map { String(decoding: $0, as: UTF16.self) }
    }

    private static let (backslash, letterU): (UInt16, UInt16) = (0x5C, 0x75)
    private static let units: [UInt16: UInt16] = [
        0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
    ]

    /// - Parameter read: A closure that reads one escape. It receives the text after the mark that begins the escape,
    ///   such as a percent sign. It returns the unit for which the escape stands, and the length of the escape after
    ///   its mark. It returns nil if there is no valid escape.
    private static func unescaped<Unit: FixedWidthInteger>(
        _ text: [Unit], _ mark: Unit, _ read: (ArraySlice<Unit>) -> (Unit, length: Int)?
    ) -> [Unit]? {
        guard text.contains(mark) else { return nil }
        var plain = [Unit]()
        var rest = text[...]
        while let unit = rest.popFirst() {
            let escape = unit == mark ? read(rest) : nil
            plain.append(escape?.0 ?? unit)
            rest = rest.dropFirst(escape?.length ?? 0)
        }
        return plain
    }

    private static func number<Unit: FixedWidthInteger>(_ text: ArraySlice<Unit>, digits: Int) -> Unit? {
        let values = text.compactMap { Unicode.Scalar(UInt32($0)).flatMap { Character($0).hexDigitValue } }
        return values.count == digits ? values.reduce(0) { $0 << 4 | Unit($1) } : nil
    }
}

/// The names of secrets, which may be names of headers, of items in a query or form, or of fields in JSON.
enum SecretName {
    /// Parts of names. A value is secret if its name contains one of these parts. Examples of such names are
    /// `X-Auth-Token`, `client_secret`, and `Set-Cookie`.
    static let parts = [
        "authorization", "cookie", "token", "secret", "password", "passwd", "passphrase", "credential", "assertion",
        "apikey", "accesskey", "privatekey", "signature", "sessionid",
    ]
    /// Whole names. A value is secret if its name is exactly one of them. For example, the value of `code` is secret,
    /// but that of `status_code` is not.
    static let wholes: Set<String> = [
        "code", "authcode", "devicecode", "usercode", "codeverifier", "auth", "jwt", "otp", "pin", "pwd", "sid", "key",
        "ticket",
    ]

    /// Whether the value under a name is secret, and so is never shown. Case, hyphens, and underscores are ignored.
    static func matches(_ name: some StringProtocol) -> Bool {
        // Names may be percent-encoded, as in a URL.
        let name = name.contains("%") ? name.removingPercentEncoding ?? String(name) : String(name)
        // The names of secrets are ASCII. Comparing other characters could take very long.
        let plain = String(
            decoding: name.lowercased().utf8.filter { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 }, as: UTF8.self)
        return wholes.contains(plain) || parts.contains { plain.contains($0) }
    }

    /// Returns whether a text contains a value under the name of a secret, such as `code=abc` or `"password": "abc"`.
    static func hasValue(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        var start = 0
        for mark in bytes.indices where bytes[mark] == UInt8(ascii: "=") || bytes[mark] == UInt8(ascii: ":") {
            // No byte is read twice. Otherwise, a text that consists only of separators would take quadratic time.
            let (name, isQuoted) = name(endingIn: bytes[start..<mark])
            start = mark + 1
            // A colon counts only after a quoted name. In a sentence, the text after a colon is a message and not a
            // secret, as in “password: too short”.
            guard bytes[mark] == UInt8(ascii: "=") || isQuoted, matches(String(decoding: name, as: UTF8.self)) else {
                continue
            }
            let value = bytes[start...].first { $0 != UInt8(ascii: " ") }
            if let value, !"&;,".utf8.contains(value) { return true }
        }
        return false
    }

    /// Returns the name before a separator. The name's quotation mark may itself be escaped, as in JSON inside JSON.
    private static func name(endingIn text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, isQuoted: Bool) {
        var text = text
        while text.last == UInt8(ascii: " ") { text.removeLast() }
        let isQuoted = text.last == UInt8(ascii: "\"") || text.last == UInt8(ascii: "'")
        if isQuoted { text.removeLast() }
        if isQuoted, text.last == UInt8(ascii: "\\") { text.removeLast() }
        let before = text.lastIndex { !isAlphanumeric($0) && !"_-%".utf8.contains($0) }
        return (text[(before.map { $0 + 1 } ?? text.startIndex)...], isQuoted)
    }

    /// Returns the values in JSON that are under the names of secrets.
    static func values(in json: JSONValue, isSecret: Bool = false) -> [String] {
        switch json {
        case .object(let members): members.flatMap { values(in: $1, isSecret: isSecret || matches($0)) }
        case .array(let items): items.flatMap { values(in: $0, isSecret: isSecret) }
        case .string(let text): isSecret ? [text] : []
        // A single digit is not treated as a secret.
        case .integer(let number): isSecret && number.magnitude > 9 ? ["\(number)"] : []
        case .null, .bool, .number, .decimal: []
        }
    }
}
