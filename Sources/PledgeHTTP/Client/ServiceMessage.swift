import Foundation

/// The sentence a service puts into the body of a failed reply.
package enum ServiceMessage {
    private static let keys = ["error", "detail", "error_description", "message", "non_field_errors", "title"]
    private static let longest = 200
    /// No service says more than this in one reply, in bytes, and taking a larger one apart would be its way to cost time.
    static let largestBody = 1 << 20

    /// The service's own words to the letter, wherever it puts them; nil for a web page.
    package static func find(in reply: HTTPReply) -> String? {
        let isHTML = reply.headers["Content-Type"]?.lowercased().contains("html") == true
        guard !reply.body.isEmpty, !isHTML else { return nil }
        guard let words = try? reply.json(ServiceWords.self) else {
            let text = String(decoding: reply.body, as: UTF8.self)
            return isWebPage(text) ? nil : text
        }
        return words.text ?? keys.lazy.compactMap { words[$0] }.first ?? words.complaints
    }

    /// One line of printable text, not too long and without its full stop, as it stands in a sentence; nil where
    /// nothing is left.
    package static func line(_ text: String) -> String? {
        guard !isWebPage(text) else { return nil }
        var line = Substring(printable(text))
        // One is the sentence's own; three mean something.
        while line.hasSuffix("."), !line.hasSuffix("..") {
            repeat { line = line.dropLast() } while line.hasSuffix(" ")
        }
        return line.isEmpty ? nil : String(line)
    }

    /// A text on one line, without what nobody sees, and cut where it is too long for a sentence.
    static func printable(_ text: String) -> String {
        // In scalars, since one character can go on for ever; enough for a line, however much is in the way.
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
