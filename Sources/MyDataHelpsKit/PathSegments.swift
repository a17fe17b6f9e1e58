import Foundation

/// The variable segments of a path, such as an identifier or the name of a survey.
enum PathSegments {
    /// Returns the segments percent-encoded, with slashes between them.
    ///
    /// - Throws: ``MyDataHelpsError/encodingError(_:)`` if one is empty or "." or "..", which would lead elsewhere: they
    ///   are always resolved as the current and the parent directory.
    static func joined(_ segments: [String]) throws(MyDataHelpsError) -> String {
        guard segments.allSatisfy({ !["", ".", ".."].contains($0) }) else { throw .encodingError(NoSuchLink()) }
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return segments.map { $0.addingPercentEncoding(withAllowedCharacters: plain) ?? $0 }.joined(separator: "/")
    }
}

/// The error for a link that cannot be valid.
struct NoSuchLink: Error, CustomStringConvertible {
    var description: String { "a name or an identifier is empty, or nothing but dots" }
}
