import Foundation
import Pledge

/// A token, or whatever else is costly to get, which is renewed by one piece of work at a time for all callers.
///
/// A caller that joins while the work is in progress receives the same value or error. Canceling only leaves: the work
/// runs to its end even without callers, as a service may invalidate the old token as soon as it issues a new one.
package final class TokenCache<Token: Sendable>: Sendable {
    private let state: Locked<TokenState<Token>>

    package init(_ token: Token? = nil) { state = Locked(TokenState(token)) }

    /// The latest token, however old; nil before the first.
    package var latest: Token? { state.withLock(\.token) }

    /// The number of renewals that have ended.
    var renewals: Int { state.withLock { $0.renewals } }

    /// Returns the outcome of the renewal in progress, else the token if it is usable, else the outcome of `renew`,
    /// which receives the latest token. `isUsable` also receives whether the token comes from a recent renewal. An
    /// error rejects all callers that wait, and the next one tries again; a cancel affects only its own caller.
    package func token(
        _ clock: Timekeeper, if isUsable: (_ token: Token, _ isNew: Bool) -> Bool = { _, _ in true },
        _ renew: (Token?) -> Promise<Token>
    ) -> Promise<Token> {
        take(clock, renew) { $0.token(if: isUsable, now: $1) }
    }

    /// Stores a token before its renewal ends, so that it is not lost if that fails.
    package func store(_ token: Token) { state.withLock { $0.store(token) } }

    private func take(
        _ clock: Timekeeper, _ renew: (Token?) -> Promise<Token>,
        _ find: (TokenState<Token>, _ now: TimeInterval) -> Promise<Token>?
    ) -> Promise<Token> {
        let now = clock.uptime()
        let (token, renewal, old) = state.withLock { state -> (Promise<Token>, Resolver<Token>?, Token?) in
            if let found = find(state, now) { return (found, nil, nil) }
            let (promise, resolver) = Promise<Token>.pending()
            // Keeps an observer at all times; otherwise the last caller to leave would cancel the work.
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
        // Each caller has its own promise: canceling a shared one would reject it for all.
        return Promise(token)
    }
}

extension TokenCache where Token: Equatable {
    /// Returns a token in place of one that the service refused. Rejects with ``NoOtherToken`` if a renewal brings no
    /// other. `sent` is the number of ``renewals`` when the request was sent, and `isFromStore` whether the refused token was
    /// only found by the renewal that brought it, so that another one may help.
    func token(
        replacing rejected: Token, sentAfter sent: Int, isFromStore: Bool = false, _ clock: Timekeeper,
        _ renew: () -> Promise<Token>
    ) -> Promise<Token> {
        @Sendable func check(_ token: Token) throws { if token == rejected { throw NoOtherToken() } }
        let renewed = take(clock, { _ in renew().get(on: nil, check) }) {
            $0.token(replacing: rejected, sentAfter: sent, isFromStore: isFromStore, now: $1)
        }
        // A caller who joins may have been refused with another token than the one who began the renewal.
        return renewed.get(on: nil, check)
    }
}

/// The state of a token that can be renewed: a pure value, whose methods return what ``TokenCache`` does.
///
/// The outcome of a renewal counts for all refused requests that were sent before it ended, so that a wave of them
/// causes one renewal. It counts for no later one, and for none after the window: what failed once is tried again.
struct TokenState<Token: Sendable>: Sendable {
    /// The seconds for which the outcome of a renewal is remembered.
    static var window: TimeInterval { 10 }

    /// The latest token, however old; nil before the first.
    private(set) var token: Token?
    /// The number of renewals that have ended, by which a request records when it was sent.
    private(set) var renewals = 0
    private var inProgress: Promise<Token>?
    private var last: (outcome: Result<Token, any Error>, end: TimeInterval)?

    init(_ token: Token?) { self.token = token }

    /// Returns what a request that is about to be sent gets: the renewal in progress, or the token; nil if it begins a
    /// renewal. A new token should be used whatever its date says: renewing it again would not help if the clock is
    /// wrong.
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
        // If the clock was set back, the time that has passed is unknown.
        last.flatMap { 0..<Self.window ~= now - $0.end ? $0.outcome : nil }
    }
}

extension TokenState where Token: Equatable {
    /// Returns what a request whose token was refused gets; nil if it begins a renewal. `sent` is the number of
    /// ``renewals`` when it was sent, and `isFromStore` whether its token was found, not issued just now.
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

/// The error of a source that has no token but the refused one: the response that refused it is the result.
package struct NoOtherToken: Error {
    /// Whether the refused token is the result of a renewal.
    let isNew: Bool

    package init(isNew: Bool = false) { self.isNew = isNew }
}
