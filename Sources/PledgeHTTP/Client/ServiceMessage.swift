import Foundation

/// The message a service includes in the body of a failed response.
package enum ServiceMessage {
    private static let keys = [
        "message", "error", "detail", "error_description", "errors", "non_field_errors", "title",
    ]
    private static let longest = 200
    /// The size in bytes above which no message is searched for: parsing a larger body would let a service waste time.
    static let largestBody = 1 << 20

    /// Returns the service's message verbatim, wherever the service puts it; nil for a web page.
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

    /// Returns a text as one printable line for use in a sentence: shortened, without its period; nil if nothing is
    /// left.
    package static func line(_ text: String) -> String? {
        guard !isWebPage(text) else { return nil }
        var line = Substring(printable(text))
        // A single period would end the surrounding sentence; three are an ellipsis.
        while line.hasSuffix("."), !line.hasSuffix("..") {
            repeat { line = line.dropLast() } while line.hasSuffix(" ")
        }
        return line.isEmpty ? nil : String(line)
    }

    /// Returns a text on one line, without invisible characters, cut where it is too long for a sentence.
    static func printable(_ text: String) -> String {
        // In scalars, as a single character can be arbitrarily long; enough for a line even if most are invisible.
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
