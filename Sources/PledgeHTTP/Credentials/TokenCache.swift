import Foundation
import Pledge

/// A cache for a token, or for anything else that is costly to get. One renewal at a time gets it for all callers.
///
/// A caller that joins while a renewal is in progress receives the same value or error. A caller that cancels only
/// leaves: the renewal runs to its end even without callers, because a service may invalidate the old token as soon as
/// it issues a new one.
package final class TokenCache<Token: Sendable>: Sendable {
    private let state: Locked<TokenState<Token>>

    package init(_ token: Token? = nil) { state = Locked(TokenState(token)) }

    /// The latest token, even if it is old; nil before the first token.
    package var latest: Token? { state.withLock(\.token) }

    /// The number of renewals that have ended.
    var renewals: Int { state.withLock { $0.renewals } }

    /// Returns a token. If a renewal is in progress, returns its outcome. Otherwise, returns the latest token if it is
    /// usable, or else the outcome of `renew`, which receives the latest token. `isUsable` also receives whether the
    /// token comes from a recent renewal. An error rejects all callers that wait, and the next caller tries again. A
    /// cancellation affects only the caller that cancels.
    package func token(
        _ clock: Timekeeper, if isUsable: (_ token: Token, _ isNew: Bool) -> Bool = { _, _ in true },
        _ renew: (Token?) -> Promise<Token>
    ) -> Promise<Token> {
        take(clock, renew) { $0.token(if: isUsable, now: $1) }
    }

    /// Stores a token before its renewal ends, so that the token is not lost if the renewal fails.
    package func store(_ token: Token) { state.withLock { $0.store(token) } }

    private func take(
        _ clock: Timekeeper, _ renew: (Token?) -> Promise<Token>,
        _ find: (TokenState<Token>, _ now: TimeInterval) -> Promise<Token>?
    ) -> Promise<Token> {
        let now = clock.uptime()
        let (token, renewal, old) = state.withLock { state -> (Promise<Token>, Resolver<Token>?, Token?) in
            if let found = find(state, now) { return (found, nil, nil) }
            let (promise, resolver) = Promise<Token>.pending()
            // The promise always has this observer. Otherwise, the last caller to leave would cancel the renewal.
            promise.pipe { _ in }
            state.begin(promise)
            return (promise, resolver, state.token)
        }
        if let renewal {
            renew(old).pipe { [state] outcome in
                let now = clock.uptime()
                state.withLock { $0.end(outcome, now: now) }
                renewal.resolve(outcome)
            }
        }
        // Each caller gets a promise of its own, because canceling a shared one would reject it for all callers.
        return Promise(token)
    }
}

extension TokenCache where Token: Equatable {
    /// Returns a token in place of one that the service refused. Rejects with ``NoOtherToken`` if a renewal returns the
    /// refused token. `sent` is the number of ``renewals`` when the request was sent. `isFromStore` says whether the
    /// renewal that returned the refused token only found it in a store: if so, another renewal may help.
    func token(
        replacing rejected: Token, sentAfter sent: Int, isFromStore: Bool = false, _ clock: Timekeeper,
        _ renew: () -> Promise<Token>
    ) -> Promise<Token> {
        @Sendable func check(_ token: Token) throws { if token == rejected { throw NoOtherToken() } }
        let renewed = take(clock, { _ in renew().get(on: nil, check) }) {
            $0.token(replacing: rejected, sentAfter: sent, isFromStore: isFromStore, now: $1)
        }
        // A caller that joins may have sent another token than the caller that began the renewal.
        return renewed.get(on: nil, check)
    }
}

/// The state of a token that can be renewed. It is a pure value, whose methods return what ``TokenCache`` returns.
///
/// The outcome of a renewal counts for all refused requests that were sent before the renewal ended, so that many of
/// them cause one renewal. It does not count for later requests, nor after the window: a renewal that failed is then
/// tried again.
struct TokenState<Token: Sendable>: Sendable {
    /// The seconds for which the outcome of a renewal is remembered.
    static var window: TimeInterval { 10 }

    /// The latest token, even if it is old; nil before the first token.
    private(set) var token: Token?
    /// The number of renewals that have ended. With this number, a request records when it was sent.
    private(set) var renewals = 0
    private var inProgress: Promise<Token>?
    private var last: (outcome: Result<Token, any Error>, end: TimeInterval)?

    init(_ token: Token?) { self.token = token }

    /// Returns the token for a request that is about to be sent: that of the renewal in progress, or the latest token.
    /// Returns nil if the request begins a renewal. A new token should be used even if it seems to have expired,
    /// because renewing it again would not help if the clock is wrong.
    func token(if isUsable: (_ token: Token, _ isNew: Bool) -> Bool, now: TimeInterval) -> Promise<Token>? {
        if let inProgress { return inProgress }
        guard let token else { return nil }
        let isNew = if case .success? = recent(now) { true } else { false }
        return isUsable(token, isNew) ? .value(token) : nil
    }

    mutating func begin(_ renewal: Promise<Token>) { inProgress = renewal }

    mutating func end(_ outcome: Result<Token, any Error>, now: TimeInterval) {
        inProgress = nil
        renewals += 1
        last = (outcome, now)
        if case .success(let token) = outcome { self.token = token }
    }

    /// Stores a token before its renewal ends.
    mutating func store(_ token: Token) { self.token = token }

    private func recent(_ now: TimeInterval) -> Result<Token, any Error>? {
        // If the clock was set back, it is unknown how much time has passed.
        last.flatMap { 0..<Self.window ~= now - $0.end ? $0.outcome : nil }
    }
}

extension TokenState where Token: Equatable {
    /// Returns the token for a request whose token was refused; nil if the request begins a renewal. `sent` is the
    /// number of ``renewals`` when the request was sent. `isFromStore` says whether its token was found in a store,
    /// rather than issued just now.
    func token(
        replacing rejected: Token, sentAfter sent: Int, isFromStore: Bool = false, now: TimeInterval
    ) -> Promise<Token>? {
        if let inProgress { return inProgress }
        switch recent(now) {
        case .success(let renewed)? where renewed == rejected && isFromStore: return nil
        case .success(let renewed)? where renewed == rejected: return Promise(error: NoOtherToken(isNew: true))
        case .success(let renewed)? where sent < renewals: return .value(renewed)
        case .failure(let error)? where sent < renewals: return Promise(error: error)
        default: return nil
        }
    }
}

/// The error of a source that has no token except the refused one. The result of the call is then the response that
/// refused it.
package struct NoOtherToken: Error {
    /// Whether the refused token is the result of a renewal.
    let isNew: Bool

    package init(isNew: Bool = false) { self.isNew = isNew }
}
