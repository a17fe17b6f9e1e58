import Foundation

enum PathSegments {
    /// Returns a segment percent-encoded, with its slashes. An empty one becomes ".", which ``check(_:)`` rejects.
    static func encoded(_ segment: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return segment.isEmpty ? "." : segment.addingPercentEncoding(withAllowedCharacters: plain) ?? segment
    }

    /// Throws ``MyDataHelpsError/encodingError(_:)`` for a path with a segment "." or "..", which is always resolved as
    /// a directory and would lead to another resource.
    static func check(_ path: String) throws(MyDataHelpsError) {
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw .encodingError(FailureReason.noSuchLink)
        }
    }
}
