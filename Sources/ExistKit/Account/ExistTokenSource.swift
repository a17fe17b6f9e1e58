import Foundation
import PledgeCoding
import PledgeHTTP

/// Gives a user's token, renews it when it has run out or is refused, and hands each new pair to your store before
/// any request uses it.
public final class ExistTokenSource: TokenSource {
    private let oauth: ExistOAuth
    private let store: @Sendable (ExistToken) -> Promise<Void>
    private let held: Locked<ExistToken>
    private let renewal = SingleFlight<String>()

    /// Makes a source of a pair that you have stored.
    ///
    /// - Parameters:
    ///   - token: the pair from your store.
    ///   - oauth: what renews it, and has the clock.
    ///   - store: keeps a new pair. The old one is void by then, so a pair that is not kept is an account that is lost:
    ///     if this rejects, so does the request, and the pair stays in memory. Who asks meanwhile waits for it, so it
    ///     must not ask for a token itself.
    public init(
        _ token: ExistToken, oauth: ExistOAuth,
        store: @escaping @Sendable (ExistToken) -> Promise<Void>
    ) {
        self.oauth = oauth
        self.store = store
        held = Locked(token)
    }

    /// The access token; a new one if it has run out.
    public func token() -> Promise<String> {
        renew { $0.isExpired(at: oauth.clock.now()) }
    }

    /// A new access token, unless it was renewed meanwhile. However many ask at the same time, the service is asked
    /// once.
    public func token(replacing rejected: String) -> Promise<String> {
        renew { $0.accessToken == rejected }
    }

    /// The token held, unless it is of no more use.
    private func renew(if isUseless: (ExistToken) -> Bool) -> Promise<String> {
        renewal.join(unless: {
            let token = held.withLock { $0 }
            return isUseless(token) ? nil : .value(token.accessToken)
        }) {
            let old = held.withLock { $0 }
            return oauth.refresh(old).then(on: nil) { [self] fresh -> Promise<String> in
                var token = fresh
                token.refreshToken = fresh.refreshToken ?? old.refreshToken
                let kept = token
                held.withLock { $0 = kept }
                return store(kept).map(on: nil) { kept.accessToken }
            }
        }
    }
}

extension ExistTokenSource: Discreet {
    /// Whose tokens; never the tokens.
    public var description: String { "ExistTokenSource(\(oauth))" }
}
