import Foundation
import PledgeCoding

/// The secrets of a request, which are removed from everything shown of the response.
///
/// For each secret, the time is linear in the length of the text.
package struct Secrets: Sendable {
    /// The minimum length of a secret to cut out, in bytes. A shorter one may be part of any word, and its gap reveals
    /// it, as “mood” in “the … of the day”: a text that contains one is left out as a whole.
    private static let cuttable = 8
    private let needles: [Needle]

    package static let none = Secrets([])

    private init(_ texts: [String]) {
        let forms = texts.flatMap { text in
            // A form encodes a space as a plus sign. The Base64 of a short secret could be part of a word, too.
            [text, text.replacingOccurrences(of: " ", with: "+")]
                + (text.utf8.count < Self.cuttable ? [] : Self.base64(text))
        }
        needles = Set(forms).compactMap(Needle.init)
    }

    /// Returns the Base64 of a text in both alphabets, with and without padding.
    private static func base64(_ text: String) -> [String] {
        let whole = Data(text.utf8).base64EncodedString()
        let plain = whole.replacingOccurrences(of: "=", with: "")
        let other = plain.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        return [whole, plain, other]
    }

    /// Collects the secrets of a request as sent: its credential, and every value under a well-known name in its
    /// headers, URL, form, or JSON.
    package init(_ request: OutgoingRequest) {
        var found: [String] = []
        for field in request.headers.fields where SecretName.matches(field.name) {
            found += Self.credentials(field.name.lowercased(), field.value)
        }
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        found += [parts?.password].compactMap { $0 } + Self.values(inForm: parts?.percentEncodedQuery ?? "")
        if let body = request.body {
            let type = request.headers["Content-Type"]?.lowercased() ?? ""
            if type.contains("urlencoded") {
                found += Self.values(inForm: String(decoding: body, as: UTF8.self))
            } else if type.contains("multipart") {
                found += Self.values(inParts: body)
            } else if let json = try? TapeDecoder.decode(SecretTexts.self, from: JSONTape(body)) {
                found += json.texts
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

    /// Returns the secrets of a form, each also in Base64 with the users the form names: some services convert one to
    /// the other before they check it.
    private static func values(inForm form: String) -> [String] {
        var (secrets, users) = ([String](), [String]())
        for pair in form.split(separator: "&") {
            guard let written = rest(of: pair, after: "=") else { continue }
            let (name, spaced) = (pair.prefix { $0 != "=" }, written.replacingOccurrences(of: "+", with: " "))
            let value = spaced.removingPercentEncoding ?? spaced
            if SecretName.matches(name) { secrets.append(value) }
            if ["username", "user", "client_id"].contains(name) { users.append(value) }
        }
        return secrets + users.flatMap { user in secrets.flatMap { base64("\(user):\($0)") } }
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

    /// Returns a text without the secrets, however they are escaped, and without the values of well-known names.
    package func hide(_ text: String) -> String { SecretName.hideValues(in: hideOwn(text)) }

    private func hideOwn(_ text: String) -> String {
        guard !needles.isEmpty, !text.isEmpty else { return text }
        var reading = Reading(text)
        var hidden: [Range<Int>] = []
        // As written, unescaped, and unescaped again, for URLs nested in URLs. The number of levels is limited, or a
        // text could make this take quadratic time.
        for level in 0...4 {
            if level > 0 {
                guard let plainer = reading.unescaped() else { break }
                reading = plainer
            }
            for needle in needles {
                let places = needle.places(in: reading.bytes)
                if !places.isEmpty, needle.bytes.count < Self.cuttable { return "…" }
                hidden += places.map(reading.written)
            }
        }
        return hidden.isEmpty ? text : Cut.text(Array(text.utf8), without: hidden)
    }
}

extension Secrets {
    /// Returns the headers without the secrets; those under well-known names are kept, as they are never printed.
    func hide(_ headers: HeaderFields) -> HeaderFields {
        HeaderFields(headers.fields.map { HeaderFields.Field(name: hideOwn($0.name), value: hideOwn($0.value)) })
    }

    /// Returns the error, or only its redacted description if that contains a secret.
    func hide(_ error: any Error) -> any Error {
        let words = "\(error)"
        let shown = hideOwn(words)
        return words == shown ? error : Hushed(description: shown)
    }

    private struct Hushed: Error, CustomStringConvertible {
        let description: String
    }

    func hide(_ reply: UnreadableReply) -> UnreadableReply {
        guard case .unexpected(let path, let problem) = reply else { return reply }
        return .unexpected(
            path: ServiceMessage.printable(hide(path)), problem: ServiceMessage.printable(hide(problem)))
    }

    func hide(_ error: TransportError) -> TransportError {
        switch error {
        case .unreachable(let detail): .unreachable(hide(detail))
        case .connectionLost(let detail): .connectionLost(hide(detail))
        case .untrusted(let detail): .untrusted(hide(detail))
        case .badReply(let detail): .badReply(hide(detail))
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

extension Secrets: Discreet {
    /// The number of needles, never their text.
    package var description: String { "Secrets(\(needles.count))" }
}
