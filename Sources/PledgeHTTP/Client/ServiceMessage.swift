import Foundation

/// The sentence a service puts into the body of a failed reply, wherever it puts it.
enum ServiceMessage {
    private static let keys = ["error", "detail", "error_description", "message", "non_field_errors", "title"]
    private static let longest = 200

    /// - Parameter secret: left out, should the service repeat it.
    static func find(in reply: HTTPReply, hiding secret: String?) -> String? {
        guard let text = find(in: reply) else { return nil }
        guard let secret, secret.count >= 8 else { return text }
        return text.replacingOccurrences(of: secret, with: "…")
    }

    private static func find(in reply: HTTPReply) -> String? {
        let isHTML = reply.headers["Content-Type"]?.lowercased().contains("html") == true
        guard !reply.body.isEmpty, !isHTML else { return nil }
        guard let json = try? JSONSerialization.jsonObject(with: reply.body, options: .fragmentsAllowed) else {
            let text = String(decoding: reply.body.prefix(longest * 4), as: UTF8.self)
            return text.drop(while: \.isWhitespace).hasPrefix("<") ? nil : tidy(text)
        }
        switch json {
        case let text as String: return tidy(text)
        case let object as [String: Any]:
            for key in keys {
                if let text = object[key] as? String { return tidy(text) }
                if let texts = object[key] as? [String] { return tidy(texts.joined(separator: " ")) }
            }
            let fields = object.compactMap { key, value in
                (value as? [String]).map { "\(key): \($0.joined(separator: " "))" }
            }
            return tidy(fields.sorted().joined(separator: "; "))
        default: return nil
        }
    }

    /// One line of printable text, not too long.
    private static func tidy(_ text: String) -> String? {
        let line = text.split(whereSeparator: { $0.isNewline || $0.isWhitespace }).joined(separator: " ")
        let printable = String(line.unicodeScalars.filter { !CharacterSet.controlCharacters.contains($0) })
        guard !printable.isEmpty else { return nil }
        if printable.hasSuffix("."), !printable.hasSuffix("..") { return tidy(String(printable.dropLast())) }
        return printable.count > longest ? "\(printable.prefix(longest))…" : printable
    }
}
