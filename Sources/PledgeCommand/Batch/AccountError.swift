import MyDataHelpsKit
import PledgeHTTP
import PledgeHistory

/// An error of an account, as the results contain it.
struct AccountError: Error {
    /// The kind of the error, as a code for programs. Both services have the same codes.
    var kind: String
    /// Whether the error may be temporary. If so, a later run tries the account again.
    var isPassing: Bool
    var status: Int?
    var section: String?
    var message: String

    /// The kinds of errors that always count as temporary, no matter what the response was.
    static let passingKinds = FailureKind.allCases.filter(\.isPassing).map(\.rawValue)

    /// The kinds of errors for which the service is to blame, rather than the account.
    static let serviceKinds = Set([FailureKind.serviceFault, .timedOut, .unreachable].map(\.rawValue))

    static let kinds = Set(FailureKind.allCases.filter { $0 != .cancelled }.map(\.rawValue)).union([
        "noToken", "identity",
    ])

    /// The kinds of errors with which the sync of an account can fail. A sync also compares the service's data with the
    /// stored data. So it has an additional kind, `removals`: the service no longer has an unusually large part of the
    /// stored data.
    static let syncKinds = kinds.union(["removals"])

    /// Parses the names of kinds, which are separated by commas. If the word `all` is among them, returns a set that
    /// contains only this word. Throws a usage error for an unknown kind.
    static func kinds(_ text: String, among known: Set<String>) throws -> Set<String> {
        let words = text.split(separator: ",").map(String.init)
        if let unknown = words.first(where: { !known.contains($0) && $0 != "all" }) {
            let known = known.sorted().joined(separator: ", ")
            throw UsageError("There is no kind of error “\(unknown)”. Choose from these: all, \(known).")
        }
        guard !words.isEmpty else { throw UsageError("--retry needs a kind of error, or all.") }
        return words.contains("all") ? ["all"] : Set(words)
    }

    /// Creates the error of an account from any error.
    ///
    /// - Parameter isGarbled: Whether the last response was a truncated body or a web page. If so, an unreadable
    ///   response counts as a temporary error.
    init(_ error: any Error, section: String? = nil, isGarbled: Bool) {
        self.section = section
        let error = Self.cause(of: error)
        kind = error is NoToken ? "noToken" : error.kindName
        status = error.failureStatus
        // A truncated body or a web page isn't what the service meant to send, so the next attempt may succeed.
        isPassing = Self.passingKinds.contains(kind) || kind == "unreadable" && isGarbled
        // The message contains no token: if the service's text repeats a token, the error leaves the text out.
        message = "\(error)"
    }

    /// Returns the token source's own error if the request wasn't sent because that source failed. Otherwise, returns
    /// the error unchanged.
    private static func cause(of error: any Error) -> any Error {
        if case MyDataHelpsError.encodingError(let cause as NoToken) = error { return cause }
        guard case .credential(let cause) = error.exchangeError?.reason, !(cause is CredentialError) else {
            return error
        }
        return Self.cause(of: cause)
    }
}
