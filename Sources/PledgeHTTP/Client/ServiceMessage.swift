import Foundation

/// The sentence a service puts into the body of a failed reply.
package enum ServiceMessage {
    private static let keys = ["error", "detail", "error_description", "message", "non_field_errors", "title"]
    private static let longest = 200

    /// The service's own words to the letter, wherever it puts them; nil for a web page.
    package static func find(in reply: HTTPReply) -> String? {
        let isHTML = reply.headers["Content-Type"]?.lowercased().contains("html") == true
        guard !reply.body.isEmpty, !isHTML else { return nil }
        guard let json = try? JSONSerialization.jsonObject(with: reply.body, options: .fragmentsAllowed) else {
            let text = String(decoding: reply.body, as: UTF8.self)
            return isWebPage(text) ? nil : text
        }
        switch json {
        case let text as String: return text
        case let object as [String: Any]:
            for key in keys {
                if let text = object[key] as? String { return text }
                if let texts = object[key] as? [String] { return texts.joined(separator: " ") }
            }
            let fields = object.compactMap { key, value in
                (value as? [String]).map { "\(key): \($0.joined(separator: " "))" }
            }
            return fields.isEmpty ? nil : fields.sorted().joined(separator: "; ")
        default: return nil
        }
    }

    /// - Parameter secret: left out, should the service repeat it.
    static func hide(_ secret: String?, in text: String?) -> String? {
        guard let secret, secret.count >= 8 else { return text }
        return text?.replacingOccurrences(of: secret, with: "…")
    }

    /// One line of printable text, not too long and without its full stop, as it stands in a sentence; nil where
    /// nothing is left.
    package static func line(_ text: String) -> String? {
        // Enough for a line, however long the body is. Scalars, because a character can be as long as the body.
        let start = String(text.unicodeScalars.prefix(longest * 4))
        guard !isWebPage(start) else { return nil }
        let line = start.split(whereSeparator: { $0.isNewline || $0.isWhitespace }).joined(separator: " ")
        let printable = String(line.unicodeScalars.filter { !CharacterSet.controlCharacters.contains($0) })
        guard !printable.isEmpty else { return nil }
        if printable.hasSuffix("."), !printable.hasSuffix("..") { return Self.line(String(printable.dropLast())) }
        return printable.count > longest ? "\(printable.prefix(longest))…" : printable
    }

    private static func isWebPage(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.first { !$0.properties.isWhitespace } == "<"
    }
}
