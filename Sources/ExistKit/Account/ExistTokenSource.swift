import Foundation
import PledgeCoding
import PledgeHTTP

/// A source of a user's access token. It renews the token when it has expired or is rejected, and passes each new pair
/// to your store before any request uses it.
public final class ExistTokenSource: TokenSource {
    private let oauth: ExistOAuth
    private let store: @Sendable (ExistToken) -> Promise<Void>
    private let held: Locked<ExistToken>
    private let renewal = SingleFlight<String>()

    /// Creates a source from a pair of tokens that you have stored.
    ///
    /// - Parameters:
    ///   - token: The pair from your store.
    ///   - oauth: The client that renews the token, and whose clock is used.
    ///   - store: Stores a new pair. The old pair is invalid by then, so losing the new one means losing the account:
    ///     if this rejects, so does the request, and the pair stays in memory. Other callers wait for it, so it must
    ///     not request a token from this source.
    public init(
        _ token: ExistToken, oauth: ExistOAuth,
        store: @escaping @Sendable (ExistToken) -> Promise<Void>
    ) {
        self.oauth = oauth
        self.store = store
        held = Locked(token)
    }

    /// Returns the access token, renewed first if it has expired.
    public func token() -> Promise<String> {
        renew { $0.isExpired(at: oauth.clock.now()) }
    }

    /// Returns a new access token, unless it has been renewed meanwhile. Concurrent calls share one request.
    public func token(replacing rejected: String) -> Promise<String> {
        renew { $0.accessToken == rejected }
    }

    /// Returns the current token, renewed first if `isUseless` returns true for it.
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
    /// The client of the source, but never the tokens.
    public var description: String { "ExistTokenSource(\(oauth))" }
}
