import Foundation
import PledgeCoding

/// The secrets of a request: a text of the response that repeats one of them is left out as a whole.
///
/// A secret is found as it was sent, with JSON's escapes, or percent-encoded; also if one of these is within another.
package struct Secrets: Sendable {
    /// The beginnings of the secrets: some services show only the first letters of a value.
    private let patterns: Set<Data>
    private static let patternLength = 16

    package static let none = Secrets([])

    private init(_ texts: [String]) {
        // A form encodes a space as a plus sign.
        let forms = texts.flatMap { [$0, $0.replacingOccurrences(of: " ", with: "+")] }
        patterns = Set(forms.map { Self.visible($0).prefix(Self.patternLength) }).subtracting([Data()])
    }

    init(tokens: [String]) { self.init(tokens) }

    /// Collects the secrets of a request as sent: its credential, and every value under a well-known name in its
    /// headers, URL, form, or JSON.
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
                // Not JSON, or nested more deeply than is read.
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

    /// Returns the secrets of a multipart form, in which each part ends where the next begins.
    private static func values(inParts body: Data) -> [String] {
        let (mark, gap) = (Data("\r\n--".utf8), Data("\r\n\r\n".utf8))
        var (found, rest) = ([String](), body[...])
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

    /// Returns a body as JSON; nil if it isn't any, or too deep for the functions that go through it.
    private static func json(_ body: Data) -> JSONValue? {
        guard let tape = try? JSONTape(body), !tape.isDeep else { return nil }
        return try? TapeDecoder.decode(JSONValue.self, from: tape)
    }

    /// Returns a text, or only “…” if it contains a secret or the value of a well-known name.
    package func hide(_ text: String) -> String { occur(in: text) || SecretName.hasValue(in: text) ? "…" : text }

    private func occur(in text: String, nesting: Int = 2) -> Bool {
        let bytes = Self.visible(text)
        if patterns.contains(where: { bytes.range(of: $0) != nil }) { return true }
        return nesting > 0
            && [EscapedText.percentDecoded, EscapedText.jsonUnescaped].contains { unescape in
                unescape(text).map { occur(in: $0, nesting: nesting - 1) } ?? false
            }
    }

    /// Returns the bytes of a text without white space and invisible characters, since a message is shown without them.
    private static func visible(_ text: String) -> Data {
        Data(text.unicodeScalars.lazy.filter { !$0.isInvisible && !$0.properties.isWhitespace }.flatMap { $0.utf8 })
    }
}

extension Secrets {
    /// Returns the headers without those secrets; values of well-known names are kept, as they are never printed.
    func hide(_ headers: HeaderFields) -> HeaderFields {
        let shown = { occur(in: $0) ? "…" : $0 }
        return HeaderFields(headers.fields.map { HeaderFields.Field(name: shown($0.name), value: shown($0.value)) })
    }

    /// The size in bytes above which an error leaves a body out: a batch may hold thousands of errors.
    static let largestBody = 64 << 10

    /// Returns the response as an error has it: without those secrets and without a large body. Its URL becomes the one
    /// that the error prints, as a redirect's may repeat a secret.
    func hide(_ response: RawResponse, of context: RequestContext) -> RawResponse {
        var shown = response
        shown.url = URL(string: context.url) ?? URL(fileURLWithPath: "/")
        shown.headers = hide(response.headers)
        shown.body = response.body.count <= Self.largestBody ? hide(response.body) : Data()
        return shown
    }

    /// Returns the body with “…” for each text of its JSON that repeats a secret; empty if that isn't enough.
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

    /// Returns the error, or one without a text if its own contains a secret.
    func hide(_ error: any Error) -> any Error { occur(in: "\(error)") ? RedactedError() : error }

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
        case .status(let code, let message): .status(code, message: message.map(hide))
        case .redirected(let target): .redirected(to: target.map(hide))
        case .unreadable(let problem): .unreadable(hide(problem))
        case .other(let error): .other(hide(error))
        case .badRequest, .cancelled, .limited, .overBudget: reason
        }
    }
}

extension Secrets: Redacted {
    /// The number of patterns, never their text.
    package var description: String { "Secrets(\(patterns.count))" }
}
