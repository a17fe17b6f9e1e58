import Foundation
import Pledge
import PledgeHTTP

/// The error with which a call to Exist rejects.
///
/// ``kind`` says what kind of failure it is, and ``exchange`` describes the request and the response. The description
/// states what failed, where, why, and what to do next. It contains no token and no values.
public struct ExistError: Error, Sendable {
    /// The kind of an error. For ``FailureKind/rateLimited``, ``exchange`` contains the number of seconds to wait if
    /// the service specified it.
    public typealias Kind = FailureKind
    /// The kind of the error, for use in a `switch` statement.
    public let kind: Kind
    /// The exchange that failed: method, URL, status code, and the service's message. Nil if no request was sent.
    public let exchange: ExchangeError?
    /// The status code of the response; nil if there was no response.
    public var status: Int? { exchange?.status }
    /// The progress of the write that failed; nil if the call was not a write, or if it failed before it sent anything.
    public internal(set) var write: WriteProgress?
    private let problem: String

    init(invalidArgument problem: String) {
        kind = .invalidArgument
        exchange = nil
        self.problem = problem
    }

    /// Creates an error from any other error, so that every `catch` can use ``kind``. An ``ExistError`` remains as it
    /// is.
    ///
    /// ```swift
    /// do { user = try await existAPI.user().value.user } catch { print(ExistError(error).kind) }
    /// ```
    public init(_ error: any Error) {
        if let error = error as? ExistError {
            self = error
            return
        }
        kind = FailureKind(error)
        exchange = error as? ExchangeError
        problem = "\(error)"
    }
}

extension ExistError {
    /// Returns advice specific to Exist; nil for the default advice.
    static func advice(_ error: ExchangeError) -> String? {
        // No token could be obtained. The error's reason already says why, so none of the advice below applies.
        if case .credential = error.reason { return nil }
        return switch error.kind {
        case .unauthorized:
            "Check the token and its kind: a token from the app's page is a Bearer token, which is the default. An "
                + "OAuth2 token expires: renew it, or let an ExistTokenSource renew it."
        case .forbidden: "Use an OAuth2 token whose scopes cover this group; a simple token can only read."
        case .rateLimited:
            error.retryAfter.map { "Wait \(ExchangeError.whole($0)) s: \(ExistAPI.limitText)." }
                ?? "Wait up to an hour: \(ExistAPI.limitText). A RateLimiter stays within that limit."
        default: nil
        }
    }
}

extension ExistError: ExchangeFailure {}

extension ExistError: CancellableError {
    /// Whether the call was canceled before it finished.
    public var isCancelled: Bool { kind == .cancelled }
}

extension ExistError: CustomStringConvertible, LocalizedError {
    /// A sentence that states what failed, where, why, and what to do next.
    public var description: String { problem }

    public var errorDescription: String? { description }
}
