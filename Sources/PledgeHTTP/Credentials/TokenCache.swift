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
    /// other. `sent` is the number of ``renewals`` when the request was sent, and `isStored` whether the refused token was
    /// only found by the renewal that brought it, so that another one may help.
    func token(
        replacing rejected: Token, sentAfter sent: Int, isStored: Bool = false, _ clock: Timekeeper,
        _ renew: () -> Promise<Token>
    ) -> Promise<Token> {
        @Sendable func check(_ token: Token) throws { if token == rejected { throw NoOtherToken() } }
        let renewed = take(clock, { _ in renew().get(on: nil, check) }) {
            $0.token(replacing: rejected, sentAfter: sent, isStored: isStored, now: $1)
        }
        // A caller who joins may have been refused with another token than the one who began the renewal.
        return renewed.get(on: nil, check)
    }
}
