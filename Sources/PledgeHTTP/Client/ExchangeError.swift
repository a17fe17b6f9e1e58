import Foundation
import Pledge
import PledgeCoding

/// What was asked, as it may be shown.
public struct RequestContext: Sendable, Equatable {
    /// The verb of the request line.
    public var method: HTTPMethod
    /// The address without query, user and password.
    public var url: String

    package init(method: HTTPMethod, url: String) {
        self.method = method
        self.url = url
    }
}

/// What went wrong in an exchange, where, and what came back.
///
/// It prints as one sentence, and one on what to do next. It holds no token, no query and no body.
public struct ExchangeError: Error, Sendable {
    /// The ways in which an exchange can fail.
    public enum Reason: Sendable {
        /// The request was not sent, because of this.
        case badRequest(String)
        /// There was no token to send.
        case credential(any Error)
        /// No reply came back.
        case transport(TransportError)
        /// The service answered with a status that is no success, and perhaps said why.
        case status(Int, message: String?)
        /// The service pointed elsewhere, which only a read within the same origin follows.
        case redirected(to: String?)
        /// The service answered, but not with what was expected.
        case unreadable(UnreadableReply)
        /// Nobody wanted the reply any more.
        case cancelled
        /// An error of something else, such as a token source.
        case other(any Error)

        /// Why a reply that came could not be read.
        init(unreadable error: any Error) {
            self =
                switch error {
                case let error as UnreadableReply: .unreadable(error)
                case let error as DecodingError: .unreadable(UnreadableReply(error))
                default: .other(error)
                }
        }
    }

    /// In which way the exchange failed.
    public var reason: Reason
    /// The method and address of what was asked.
    public var context: RequestContext
    /// The header lines of the reply, if one came, without what was secret in the request.
    public var headers: HeaderFields
    /// What the service announced with that reply.
    public var rateLimit: RateLimit?
    /// How many seconds the service asks to wait before the next request; nil if it does not.
    public var retryAfter: TimeInterval?
    /// How often the request was sent; 0 if something was wrong before that.
    public var attempts: Int
    /// What to do next, in a sentence; nil where the reason says it.
    public internal(set) var advice: String?
    /// What the service said, to the letter but for secrets; the reason has a line of it.
    public let message: String?

    /// - Parameter secrets: left out of everything that came from elsewhere.
    init(
        _ reason: Reason, context: RequestContext, reply: HTTPReply? = nil, rateLimit: RateLimit? = nil,
        retryAfter: TimeInterval? = nil, attempts: Int = 0, message: String? = nil, hiding secrets: Secrets = .none
    ) {
        self.reason = secrets.hide(reason)
        self.context = context
        self.headers = secrets.hide(reply?.headers ?? [:])
        self.rateLimit = rateLimit
        self.retryAfter = retryAfter
        self.attempts = attempts
        self.message = message.map(secrets.hide)
        advice = reason.advice
        if case .status(let code, nil) = reason {
            self.reason = .status(code, message: self.message.flatMap(ServiceMessage.line))
        }
    }

    /// The status, if a reply came and was no success.
    public var status: Int? {
        if case .status(let code, _) = reason { code } else { nil }
    }
}

extension ExchangeError: CancellableError {
    /// True if nobody wanted the reply any more.
    public var isCancelled: Bool {
        if case .cancelled = reason { true } else { false }
    }
}

extension ExchangeError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// What failed, where and why, and what to do next.
    public var description: String { advice.map { "\(sentence) \($0)" } ?? sentence }

    /// The same for `dump`, with the header lines as ``HeaderFields`` shows them.
    public var customMirror: Mirror { Mirror(self, children: ["error": description, "headers": headers]) }

    /// What failed, where and why: for kits that know better what to do next.
    package var sentence: String {
        "\(context.method) \(context.url) failed\(attempts > 1 ? " after \(attempts) attempts" : ""): \(reason)."
    }

    public var errorDescription: String? { description }
}

extension ExchangeError.Reason: Discreet {
    public var description: String {
        switch self {
        case .badRequest(let problem): problem
        case .credential(let error): "\(error)"
        case .redirected(let target?):
            "the service points to \(ServiceMessage.printable(target)), where this request is not sent"
        case .redirected(nil): "the service points elsewhere without saying where"
        case .transport(let error): "\(error)"
        case .status(let code, let message): "the service answered \(code)" + (message.map { ", saying “\($0)”" } ?? "")
        case .unreadable(let problem): "\(problem)"
        case .cancelled: "it was cancelled"
        case .other(let error): "\(error)"
        }
    }
}
