import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch
import PledgeHTTP
import PledgeHistory

/// The error of an account, as written to its line.
struct AccountError: Error {
    /// A code for programs; the same for both services.
    var kind: String
    /// Whether the error may be temporary, so that another run tries again.
    var isPassing: Bool
    var status: Int?
    var section: String?
    var message: String

    /// The kinds that are always temporary; ``isPassing`` is also true for a truncated body or a web page.
    static let passingKinds: Set = ["unreachable", "timedOut", "serviceFault", "rateLimited"]

    static let kinds: Set = passingKinds.union([
        "unauthorized", "forbidden", "notFound", "rejected", "redirected", "unreadable", "untrusted",
        "invalidArgument", "noToken", "overBudget", "other",
    ])

    /// The kinds of a sync, which compares with what is stored.
    static let syncKinds = kinds.union(["identity", "removals"])

    /// - Parameter isGarbled: Whether the last response cannot have come from the service itself.
    init(_ error: any Error, section: String? = nil, hiding tokens: AccountTokens?, isGarbled: Bool) {
        self.section = section
        let error = Self.source(of: error)
        var text = "\(error)"
        (kind, status) = error is NoToken ? ("noToken", nil) : error.kindAndStatus
        if case .other(let wait as WaitTooLong)? = Self.exchange(error)?.reason {
            text = "\(wait) Allow more with --wait, or repeat this account in another run."
            (kind, status) = ("rateLimited", nil)
        }
        let mayPass = Self.exchange(error).map { Diagnosis($0.reason).mayPass } ?? false
        isPassing = mayPass || Self.passingKinds.contains(kind) || kind == "unreadable" && isGarbled
        // Errors contain no token; if a service's message does, it is removed here.
        message = tokens?.hidden(in: text) ?? text
    }

    /// Returns the error of the source if a request was not sent for want of a token.
    private static func source(of error: any Error) -> any Error {
        if case MyDataHelpsError.encodingError(let cause as NoToken) = error { return cause }
        guard case .credential(let cause) = exchange(error)?.reason, !(cause is CredentialError) else { return error }
        return source(of: cause)
    }

    private static func exchange(_ error: any Error) -> ExchangeError? {
        (error as? ExistError)?.exchange ?? (error as? MyDataHelpsError)?.underlyingError as? ExchangeError
    }
}
