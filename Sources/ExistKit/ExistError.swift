import Foundation
import Pledge
import PledgeHTTP

/// An error that a call to Exist rejects with: its kind, and the exchange in which it occurred. Its description states
/// what failed, where, why, and what to do next; it contains no token and no values.
public struct ExistError: Error, Sendable {
    /// The kind of an error; for ``FailureKind/rateLimited``, the exchange has the seconds to wait, if the service named them.
    public typealias Kind = FailureKind
    /// The kind of the error, to switch on.
    public let kind: Kind
    /// The exchange that failed: method, URL, status code, and the service's message. Nil if no request was sent.
    public let exchange: ExchangeError?
    /// The status code of the response, if there was one.
    public var status: Int? { exchange?.status }
    /// The progress of the write that failed; nil if the call was not a write.
    public internal(set) var write: WriteProgress?
    private let problem: String

    init(invalidArgument problem: String) {
        kind = .invalidArgument
        exchange = nil
        self.problem = problem
    }

    /// Creates an error from any error. An ``ExistError`` is kept as it is, so that every `catch` can use ``kind``.
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
        // The reason says why the token could not be renewed.
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
