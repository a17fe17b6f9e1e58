import Foundation
import Pledge
import PledgeHTTP

/// An error that a call to Exist rejects with: its kind, and the exchange in which it occurred. Its description states
/// what failed, where, why, and what to do next; it contains no token and no values.
public struct ExistError: Error, Sendable {
    /// The kind of an error.
    public enum Kind: Sendable, Equatable {
        /// 401: The token is unknown or has expired.
        case unauthorized
        /// 403: The token does not permit the request. A simple token is read-only.
        case forbidden
        /// 404: The requested item does not exist.
        case notFound
        /// 429: More than 300 requests in an hour; with the seconds to wait, if the service specified them.
        case rateLimited(retryAfter: TimeInterval?)
        /// Most other 4xx: The service did not accept the request.
        case rejected
        /// 408, 425, or 5xx: The service failed to process the request.
        case serviceFault
        /// 3xx: The service, or a server in front of it, redirected the request.
        case redirected
        /// The response does not match the service's documentation.
        case unreadable
        /// The call has used up the budget in the client's options.
        case overBudget
        /// An argument was invalid, and no request was sent.
        case invalidArgument
        /// No connection could be established, or it was lost.
        case unreachable
        /// The host could not prove its identity.
        case untrusted
        /// No response was received in time.
        case timedOut
        /// The call was canceled before it finished.
        case cancelled
        /// An error from another source, such as a token source.
        case other
    }

    package let failure: FailureKind
    /// The kind of the error, to switch on.
    public var kind: Kind { Kind(failure, retryAfter: exchange?.retryAfter) }
    /// The exchange that failed: method, URL, status code, and the service's message. Nil if no request was sent.
    public let exchange: ExchangeError?
    /// The status code of the response, if that was a failure.
    public var status: Int? { exchange?.status }
    /// The progress of the write that failed; nil if the call was not a write.
    public internal(set) var write: WriteProgress?
    private let problem: String

    init(invalidArgument problem: String) {
        failure = .invalidArgument
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
        failure = FailureKind(error)
        exchange = error as? ExchangeError
        problem = "\(error)"
    }
}

extension ExistError.Kind {
    init(_ failure: FailureKind, retryAfter: TimeInterval?) {
        self =
            switch failure {
            case .unauthorized: .unauthorized
            case .forbidden: .forbidden
            case .notFound: .notFound
            case .rateLimited: .rateLimited(retryAfter: retryAfter)
            case .rejected: .rejected
            case .serviceFault: .serviceFault
            case .redirected: .redirected
            case .unreadable: .unreadable
            case .overBudget: .overBudget
            case .invalidArgument: .invalidArgument
            case .unreachable: .unreachable
            case .untrusted: .untrusted
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            case .other: .other
            }
    }

    /// Advice specific to Exist; nil for the default advice.
    var advice: String? {
        switch self {
        case .unauthorized:
            "Check the token and its kind: a token from the app's page is a Bearer token, which is the default. One from OAuth2 expires: renew it, or let an ExistTokenSource do so."
        case .forbidden: "Use an OAuth2 token whose scopes cover this group; a simple token can only read."
        case .rateLimited(let seconds?):
            "Wait \(ExchangeError.whole(seconds)) s: \(ExistAPI.limitText)."
        case .rateLimited(nil):
            "Wait up to an hour: \(ExistAPI.limitText). A RateLimiter stays within that limit."
        default: nil
        }
    }
}

extension ExistError: CancellableError {
    /// Whether the call was canceled before it finished.
    public var isCancelled: Bool { kind == .cancelled }
}

extension ExistError: CustomStringConvertible, LocalizedError {
    /// A sentence that states what failed, where, why, and what to do next.
    public var description: String { problem }

    public var errorDescription: String? { description }
}
