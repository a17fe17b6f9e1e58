import Foundation
import PledgeCoding

/// All that a request must keep to itself. What comes back is shown only without it.
///
/// It takes time in proportion to the text, for each secret.
package struct Secrets: Sendable {
    /// One shorter than this, in bytes, is part of many a word, and the gap it leaves would tell it: of a password
    /// “mood” nothing is hidden in “the … of the day”. A text that holds such a one is left out as a whole.
    private static let cuttable = 8
    private let needles: [Needle]

    package static let none = Secrets([])

    private init(_ texts: [String]) {
        let forms = texts.flatMap { text in
            // A form writes a space as a plus. In Base64 a short one would be part of a word as well.
            [text, text.replacingOccurrences(of: " ", with: "+")]
                + (text.utf8.count < Self.cuttable ? [] : Self.base64(text))
        }
        needles = Set(forms).compactMap(Needle.init)
    }

    /// In both alphabets, with and without what fills up the end.
    private static func base64(_ text: String) -> [String] {
        let whole = Data(text.utf8).base64EncodedString()
        let plain = whole.replacingOccurrences(of: "=", with: "")
        let other = plain.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        return [whole, plain, other]
    }

    /// What is secret in a request as it was sent: its credential, and whatever goes under a well-known name in its
    /// headers, its address, its form or its JSON.
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

    /// The secrets of a form, each also as Basic would write it with whoever the form names: some services turn one into
    /// the other before they look.
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

    /// The fields of a form with files, whose parts end where the next begins.
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

    /// A text without the secrets, in whatever way they are written there, and without the values of well-known names.
    package func hide(_ text: String) -> String { SecretName.hideValues(in: hideOwn(text)) }

    private func hideOwn(_ text: String) -> String {
        guard !needles.isEmpty, !text.isEmpty else { return text }
        var reading = Reading(text)
        var hidden: [Range<Int>] = []
        // As it is written, unescaped, and unescaped again, for what was put into an address inside an address. There is
        // an end to that, or a text could make this take the square of its length.
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
    /// The same lines without the secrets; those under well-known names stay as they are, since they are never printed.
    func hide(_ headers: HeaderFields) -> HeaderFields {
        HeaderFields(headers.fields.map { HeaderFields.Field(name: hideOwn($0.name), value: hideOwn($0.value)) })
    }

    /// The same error, or only its words, if it says a secret.
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
        case .badRequest, .cancelled: reason
        }
    }
}

extension Secrets: Discreet {
    /// How many there are.
    package var description: String { "Secrets(\(needles.count))" }
}
