import Foundation

enum PathSegments {
    /// Returns the segments percent-encoded and joined by slashes. Throws ``MyDataHelpsError/encodingError(_:)`` for an
    /// empty one, or "." or "..", which are always resolved as directories.
    static func joined(_ segments: [String]) throws(MyDataHelpsError) -> String {
        guard segments.allSatisfy({ !["", ".", ".."].contains($0) }) else { throw .encodingError(NoSuchLink()) }
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return segments.map { $0.addingPercentEncoding(withAllowedCharacters: plain) ?? $0 }.joined(separator: "/")
    }
}

struct NoSuchLink: Error, CustomStringConvertible {
    var description: String { "a name or an identifier is empty, or nothing but dots" }
}
