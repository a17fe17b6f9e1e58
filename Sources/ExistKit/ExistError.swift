import Foundation
import Pledge
import PledgeHTTP

/// What a call to Exist rejects with: what went wrong in a word, and in which exchange.
///
/// It prints as one sentence that says what failed, where, why, and what to do next. It holds no token and no values.
public struct ExistError: Error, Sendable {
    /// What went wrong, in a word to switch on.
    public enum Kind: Sendable, Equatable {
        /// 401: there is no such token, or it has run out.
        case unauthorized
        /// 403: the token may not do this; a simple token may only read.
        case forbidden
        /// 404: there is nothing of that name.
        case notFound
        /// 429: more than 300 requests in an hour; the seconds to wait, if the service told.
        case rateLimited(retryAfter: TimeInterval?)
        /// Any other 4xx: the service does not accept what was asked.
        case rejected
        /// 5xx: the service has a problem of its own.
        case serviceFault
        /// 3xx: the service, or something before it, points elsewhere.
        case redirected
        /// The service answered with something else than what its documentation says.
        case unreadable
        /// What was asked makes no sense, and was not sent.
        case invalidArgument
        /// No connection could be made, or it was lost.
        case unreachable
        /// The host could not prove to be the one it says it is.
        case untrusted
        /// There was no answer in time.
        case timedOut
        /// Nobody wanted the answer any more.
        case cancelled
        /// An error of something else, such as a token source.
        case other
    }

    /// What went wrong, to switch on.
    public let kind: Kind
    /// The exchange: method, address, status, the service's own words. Nil if nothing was sent.
    public let exchange: ExchangeError?
    /// How far a write came, if it was one.
    public internal(set) var batch: BatchProgress?
    private let problem: String

    init(invalidArgument problem: String) {
        kind = .invalidArgument
        exchange = nil
        self.problem = problem
    }

    /// Any error as one of these: itself if it is one, so that `catch` can ask for its ``kind`` whatever it was given.
    ///
    /// ```swift
    /// do { user = try await existAPI.user().value.user } catch { print(ExistError(error).kind) }
    /// ```
    public init(_ error: any Error) {
        if let error = error as? ExistError {
            self = error
            return
        }
        guard let exchange = error as? ExchangeError else {
            kind = error.isCancelled ? .cancelled : error is PagesInACircle ? .unreadable : .other
            exchange = nil
            problem = "\(error)"
            return
        }
        kind = Kind(exchange)
        self.exchange = exchange
        problem = "\(exchange)"
    }
}

extension ExistError.Kind {
    init(_ error: ExchangeError) {
        switch error.reason {
        case .badRequest, .credential: self = .invalidArgument
        case .redirected: self = .redirected
        case .cancelled: self = .cancelled
        case .unreadable: self = .unreadable
        case .other: self = .other
        case .transport(.timedOut), .transport(.stalled): self = .timedOut
        case .transport(.unsendable): self = .invalidArgument
        case .transport(.badReply), .transport(.tooLarge): self = .unreadable
        case .transport(.unreachable), .transport(.connectionLost): self = .unreachable
        case .transport(.untrusted): self = .untrusted
        case .status(401, _): self = .unauthorized
        case .status(403, _): self = .forbidden
        case .status(404, _): self = .notFound
        case .status(429, _):
            self = .rateLimited(retryAfter: error.retryAfter)
        case .status(300..<400, _): self = .redirected
        case .status(500..<600, _): self = .serviceFault
        case .status: self = .rejected
        }
    }

    /// What to do next, where Exist has rules of its own; nil for the usual advice.
    var advice: String? {
        switch self {
        case .unauthorized:
            "Check the token and its kind: a token from the app's page is a Bearer token, which is the default. One from OAuth2 runs out: renew it, or let an ExistTokenSource do so."
        case .forbidden: "Use an OAuth2 token whose scopes cover this group; a simple token can only read."
        case .rateLimited(let seconds?):
            "Wait \(Int(seconds.rounded(.up))) s: Exist allows 300 requests an hour for a token."
        case .rateLimited(nil):
            "Wait up to an hour: Exist allows 300 requests an hour for a token. A RateLimiter keeps within them."
        default: nil
        }
    }
}

extension ExistError: CancellableError {
    /// True if nobody wanted the answer any more.
    public var isCancelled: Bool { kind == .cancelled }
}

extension ExistError: CustomStringConvertible, LocalizedError {
    /// What failed, where, why, and what to do next.
    public var description: String { problem }

    public var errorDescription: String? { description }
}
