import Foundation

/// The current state of an exchange.
struct ExchangeState: Sendable {
    var url: URL
    var attempt = 1
    var waited: TimeInterval = 0
    var redirects = 0
    var hasRenewed = false

    func retrying(after seconds: TimeInterval) -> ExchangeState {
        var next = self
        next.attempt += 1
        next.waited += seconds
        return next
    }

    func waiting(_ seconds: TimeInterval) -> ExchangeState {
        var next = self
        next.waited += seconds
        return next
    }

    func renewing() -> ExchangeState {
        var next = self
        next.attempt += 1
        next.hasRenewed = true
        return next
    }

    func following(_ url: URL) -> ExchangeState {
        var next = self
        next.url = url
        next.redirects += 1
        return next
    }
}

/// The next step after an attempt: a pure decision, carried out by the client.
enum ExchangeStep: Sendable {
    /// The response is the result of the call.
    case finish(HTTPReply)
    case fail(ExchangeError.Reason)
    /// Sends the request again after this many seconds.
    case retry(after: TimeInterval)
    /// Sends the request again with a new token, even a write: a service that refuses the token has not processed it.
    case renew
    case follow(URL)

    static let mostRedirects = 3

    init(
        after outcome: Result<HTTPReply, any Error>, _ state: ExchangeState, method: HTTPMethod, isRepeatable: Bool,
        canRenew: Bool, accepts: (HTTPReply) -> Bool, rule: RetryRule, now: Date
    ) {
        switch outcome {
        case .failure(let error as TransportError):
            if isRepeatable, error.isTransient,
                let delay = rule.delay(after: state.attempt, waited: state.waited, reply: nil)
            {
                self = .retry(after: delay)
            } else {
                self = .fail(.transport(error))
            }
        case .failure(let error):
            self = .fail(error.isCancelled ? .cancelled : .other(error))
        case .success(let reply) where accepts(reply):
            self = .finish(reply)
        case .success(let reply) where [301, 302, 303, 307, 308].contains(reply.status):
            self = Self.redirect(reply, state, method: method)
        case .success(let reply) where reply.status == 401 && canRenew && !state.hasRenewed:
            self = .renew
        case .success(let reply):
            let asked = RetryAfter.seconds(in: reply, now: now)
            if isRepeatable,
                let delay = rule.delay(after: state.attempt, waited: state.waited, reply: (reply.status, asked))
            {
                self = .retry(after: delay)
            } else {
                self = .fail(.status(reply.status, message: nil))
            }
        }
    }

    /// Follows only a GET, within the same origin, and a limited number of times: a token must not be led elsewhere.
    private static func redirect(_ reply: HTTPReply, _ state: ExchangeState, method: HTTPMethod) -> ExchangeStep {
        guard let location = reply.headers["Location"],
            let target = URL(string: location, relativeTo: state.url)?.withPlainScheme
        else {
            return .fail(.redirected(to: nil))
        }
        guard method == .get, let origin = Origin(target), origin == Origin(state.url), !origin.namesUser,
            state.redirects < mostRedirects
        else {
            return .fail(.redirected(to: target.redacted))
        }
        return .follow(target)
    }
}

extension TransportError {
    /// Whether a retry may succeed.
    package var isTransient: Bool {
        switch self {
        case .unreachable, .connectionLost, .timedOut, .stalled: true
        case .untrusted, .tooLarge, .unwritable, .badReply, .unsendable: false
        }
    }
}
