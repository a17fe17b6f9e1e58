import PledgeHTTP

enum PathSegments {
    /// Returns a segment percent-encoded, with its slashes. An empty one becomes ".", which ``check(_:)`` rejects.
    static func encoded(_ segment: String) -> String {
        segment.isEmpty ? "." : QueryItems.escape(segment)
    }

    /// Throws ``MyDataHelpsError/encodingError(_:)`` for a path with a segment "." or "..", which is always resolved as
    /// a directory and would lead to another resource.
    static func check(_ path: String) throws(MyDataHelpsError) {
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw .encodingError(FailureReason.noSuchLink)
        }
    }
}
