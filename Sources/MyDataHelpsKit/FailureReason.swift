/// What went wrong before a request was sent, or between two, for the description of a ``MyDataHelpsError``.
struct FailureReason: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static let noSuchLink = FailureReason("a name or an identifier is empty, or nothing but dots")
}
