import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeHTTP
import PledgeHistory

/// The error of an account, as the results contain it.
struct AccountError: Error {
    /// A code for programs; the same for both services.
    var kind: String
    /// Whether the error may be temporary, so that another run retries it.
    var isPassing: Bool
    var status: Int?
    var section: String?
    var message: String

    /// The kinds that are always temporary.
    static let passingKinds = FailureKind.allCases.filter(\.isPassing).map(\.rawValue)

    /// The kinds of a service that did not do its part.
    static let serviceKinds = Set([FailureKind.serviceFault, .timedOut, .unreachable].map(\.rawValue))

    static let kinds = Set(FailureKind.allCases.filter { $0 != .cancelled }.map(\.rawValue)).union([
        "noToken", "identity",
    ])

    /// The kinds of a sync, which also compares with stored data.
    static let syncKinds = kinds.union(["removals"])

    /// Reads names of kinds, or `all`, which stands for itself.
    static func kinds(_ text: String, among known: Set<String>) throws -> Set<String> {
        let words = text.split(separator: ",").map(String.init)
        if let unknown = words.first(where: { !known.contains($0) }), text != "all" {
            let known = known.sorted().joined(separator: ", ")
            throw UsageError("There is no kind of error “\(unknown)”. The kinds are all, \(known).")
        }
        guard !words.isEmpty else { throw UsageError("--retry names no kind of error.") }
        return Set(words)
    }

    /// - Parameter isGarbled: Whether something other than the service itself sent the last response.
    init(_ error: any Error, section: String? = nil, isGarbled: Bool) {
        self.section = section
        let error = Self.source(of: error)
        (kind, status) = error is NoToken ? ("noToken", nil) : error.kindAndStatus
        // A truncated body or a web page may be temporary, too.
        isPassing = Self.passingKinds.contains(kind) || kind == "unreadable" && isGarbled
        // It contains no token: a text that repeats one was left out.
        message = "\(error)"
    }

    /// Returns the token source's error if it prevented the request.
    private static func source(of error: any Error) -> any Error {
        if case MyDataHelpsError.encodingError(let cause as NoToken) = error { return cause }
        guard case .credential(let cause) = error.exchangeError?.reason, !(cause is CredentialError) else {
            return error
        }
        return source(of: cause)
    }
}
