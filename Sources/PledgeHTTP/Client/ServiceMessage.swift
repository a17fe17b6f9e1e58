import Foundation
import PledgeCoding

/// The texts in the JSON of a response that reports a failure.
package struct FailureTexts: Sendable {
    private let json: JSONValue

    /// Reads the texts in a response. Returns nil if the response is not JSON.
    package init?(_ response: RawResponse) {
        guard let json = try? response.json(JSONValue.self) else { return nil }
        self.json = json
    }

    private var members: [String: JSONValue] { if case .object(let members) = json { members } else { [:] } }

    /// The text, if the JSON is a single string.
    var text: String? { if case .string(let text) = json { text } else { nil } }

    /// The text of the member with a name. If the member has several texts, they are joined with spaces.
    package subscript(name: String) -> String? {
        members[name].flatMap { Self.texts($0, under: name)?.joined(separator: " ") }
    }

    /// The service's messages about fields of the request. If a field's name is that of a secret, a message that is a
    /// single word is hidden, because the word may be the secret.
    var complaints: String? {
        let fields = members.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
            guard case .array = value, let texts = Self.texts(value, under: name) else { return nil }
            let shown = SecretName.matches(name) ? texts.map { $0.contains(" ") ? $0 : "…" } : texts
            return "\(name): \(shown.joined(separator: " "))"
        }
        return fields.isEmpty ? nil : fields.joined(separator: "; ")
    }

    /// Returns the text of a string, or the texts of a list that has only strings. Returns nil for any other value. If
    /// the name is `error` or `errors`, an object is allowed in place of a string, and its message is the text:
    /// `{"error": {"message": "No."}}`.
    private static func texts(_ value: JSONValue, under name: String) -> [String]? {
        switch value {
        case .string(let text): return [text]
        case .object(let members) where name == "error" || name == "errors":
            for key in ["message", "detail", "title"] {
                if case .string(let text)? = members[key] { return [text] }
            }
            return nil
        case .array(let items):
            let texts = items.compactMap { item -> String? in
                if case .array = item { return nil }
                return Self.texts(item, under: name)?.first
            }
            return texts.isEmpty || texts.count < items.count ? nil : texts
        default: return nil
        }
    }
}

/// The message that a service includes in the body of a response that reports a failure.
package enum ServiceMessage {
    private static let keys = [
        "message", "error", "detail", "error_description", "errors", "non_field_errors", "title",
    ]
    private static let longest = 200
    /// The size of the largest body that is searched for a message, in bytes. If larger bodies were parsed, a service
    /// could waste the client's time.
    static let largestSearchedBody = 1 << 20

    /// Returns the service's message verbatim. The method searches all places where services put their messages.
    /// Returns nil if there is no message, or if the response is a web page.
    package static func find(in response: RawResponse) -> String? {
        guard !response.body.isEmpty, !response.headers.isHTML else { return nil }
        guard let words = FailureTexts(response) else {
            let text = String(decoding: response.body, as: UTF8.self)
            return isWebPage(text) ? nil : text
        }
        // An OAuth2 server sends a code and a description.
        if words["message"] == nil, let code = words["error"], let text = words["error_description"] {
            return "\(code): \(text)"
        }
        return words.text ?? keys.lazy.compactMap { words[$0] }.first ?? words.complaints
    }

    /// Returns a text as one printable line that fits into a sentence. The text is shortened, and its final period is
    /// removed. Returns nil if nothing is left.
    package static func line(_ text: String) -> String? {
        guard !isWebPage(text) else { return nil }
        var line = Substring(printable(text))
        // A single period at the end is removed, because it would end the surrounding sentence. Three periods are an
        // ellipsis, which is kept.
        while line.hasSuffix("."), !line.hasSuffix("..") {
            repeat { line = line.dropLast() } while line.hasSuffix(" ")
        }
        return line.isEmpty ? nil : String(line)
    }

    /// Returns a clause that quotes a message, for the end of a sentence about a failure; empty without a message.
    package static func clause(_ message: String?) -> String {
        message.flatMap(line).map { ", saying “\($0)”" } ?? ""
    }

    /// Returns a text on one line, without invisible characters. If it is too long for a sentence, it is cut.
    package static func printable(_ text: String) -> String {
        // The limit counts scalars, because a single character can be arbitrarily long. This many scalars are enough
        // for a line even if most of them are invisible.
        let start = String(text.unicodeScalars.prefix(longest * 4))
        let line = start.split { $0.isNewline || $0.isWhitespace }.joined(separator: " ")
        let shown = String(String.UnicodeScalarView(line.unicodeScalars.filter { !$0.isInvisible }))
        return shown.count > longest || shown.unicodeScalars.count > longest * 2
            ? "\(String(shown.unicodeScalars.prefix(longest * 2)).prefix(longest))…" : shown
    }

    private static func isWebPage(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.first { !$0.properties.isWhitespace } == "<"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, or one that only affects how others are displayed.
    var isInvisible: Bool {
        value < 0x80
            ? value < 0x20 || value == 0x7F
            : [.control, .format].contains(properties.generalCategory)
    }
}
