import Foundation

/// The current state of an exchange.
struct ExchangeState: Sendable {
    var url: URL
    var attempt = 1
    var redirects = 0
    var hasRenewed = false

    func retrying() -> ExchangeState {
        var next = self
        next.attempt += 1
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
    /// Sends the request again when the gate permits it, after this many seconds at the earliest.
    case retry(after: TimeInterval)
    /// Sends the request again with a new token, even a write: a service that refuses the token has not processed it.
    case renew
    case follow(URL)

    static let mostRedirects = 3

    /// - Parameters:
    ///   - isResult: Whether the response is the result of the call.
    ///   - again: What the gate says of another attempt.
    init(
        after outcome: Result<HTTPReply, any Error>, _ state: ExchangeState, method: HTTPMethod, isResult: Bool,
        again: TimeInterval?, canRenew: Bool
    ) {
        if let again {
            self = .retry(after: again)
            return
        }
        switch outcome {
        case .failure(let error as TransportError): self = .fail(.transport(error))
        case .failure(let error): self = .fail(error.isCancelled ? .cancelled : .other(error))
        case .success(let reply) where isResult: self = .finish(reply)
        case .success(let reply) where [301, 302, 303, 307, 308].contains(reply.status):
            self = Self.redirect(reply, state, method: method)
        case .success(let reply) where reply.status == 401 && canRenew && !state.hasRenewed: self = .renew
        case .success(let reply): self = .fail(.status(reply.status, message: nil))
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
