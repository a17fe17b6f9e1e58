import Foundation

/// The next step of a call after an attempt without a result: a pure decision, carried out by the call.
enum NextStep: Sendable {
    case fail(ExchangeError.Reason)
    /// Sends the request again when the gate permits it, after this many seconds at the earliest.
    case retry(after: TimeInterval)
    /// Sends the request again with a new token, even a write: a service that refuses the token has not processed it.
    case renew
    case follow(URL)

    static let mostRedirects = 3

    /// - Parameter again: The seconds after which the gate permits another attempt; nil if it permits none.
    init(
        after problem: ExchangeError.Reason, _ reply: HTTPReply?, _ state: CallState, method: HTTPMethod,
        again: TimeInterval?, canRenew: Bool
    ) {
        if let again {
            self = .retry(after: again)
            return
        }
        switch (problem, reply) {
        case (.status(301...303, _), let reply?), (.status(307...308, _), let reply?):
            self = Self.redirect(reply, state, method: method)
        case (.status(401, _), _) where canRenew && !state.hasRenewed: self = .renew
        default: self = .fail(problem)
        }
    }

    /// Follows only a GET, within the same origin, and a limited number of times: a token must not be led elsewhere.
    private static func redirect(_ reply: HTTPReply, _ state: CallState, method: HTTPMethod) -> NextStep {
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
