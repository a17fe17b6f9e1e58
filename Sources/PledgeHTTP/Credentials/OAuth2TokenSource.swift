import Foundation
import Pledge
import PledgeCoding

/// A source of a user's access token. It renews the token shortly before it expires or when it is rejected, and passes
/// each new pair to your store before any request uses it.
///
/// ```swift
/// let tokens = OAuth2TokenSource(in: OAuth2TokenFile(file), renewing: service.refresh)
/// let client = EndpointClient(baseURL: address, authorizer: .source(tokens))
/// ```
///
/// All clients of a user share one source: one renewal at a time serves all callers, and with a store that locks, those
/// of other processes as well.
public final class OAuth2TokenSource: TokenSource {
    private let store: any OAuth2TokenStore
    private let leeway: TimeInterval
    private let clock: Timekeeper
    private let refresh: @Sendable (OAuth2Token) -> Promise<OAuth2Token>
    private let cache: TokenCache<OAuth2Token>
    /// Whether the latest pair is not in the store, which then has one that is no longer valid.
    private let isUnsaved = Locked(false)

    /// Creates a source of the tokens in a store.
    ///
    /// - Parameters:
    ///   - token: The pair in the store, if you have read it already.
    ///   - store: The place where the tokens are kept.
    ///   - leeway: The seconds before its expiration at which a token is renewed.
    ///   - clock: The clock that tokens expire by. If it is wrong, a token is renewed when the service rejects it, and
    ///     a new one is used whatever its date.
    ///   - refresh: Exchanges a pair for a new one, such as ``OAuth2Client/refresh(_:)``. A new pair without a refresh
    ///     token keeps the old one.
    public init(
        _ token: OAuth2Token? = nil, in store: some OAuth2TokenStore, leeway: TimeInterval = 60,
        clock: Timekeeper = .live, renewing refresh: @escaping @Sendable (OAuth2Token) -> Promise<OAuth2Token>
    ) {
        (self.store, self.leeway, self.clock, self.refresh) = (store, leeway, clock, refresh)
        cache = TokenCache(token)
    }

    /// Returns the access token, renewed first if it is about to expire.
    ///
    /// - Rejects: With errors of the store and of the renewal; with ``CredentialError/signInNeeded`` for an empty
    ///   store.
    public func token() -> Promise<String> {
        let date = clock.now().addingTimeInterval(leeway)
        return token { token, isNew in isNew || !token.isExpired(at: date) }
    }

    /// Returns a new access token, unless it has been renewed meanwhile. Concurrent calls share one request.
    public func token(replacing rejected: String) -> Promise<String> {
        token { token, _ in token.accessToken != rejected }
    }

    private func token(if isUsable: @escaping @Sendable (OAuth2Token, _ isNew: Bool) -> Bool) -> Promise<String> {
        cache.token(clock, if: isUsable) { [self] held in
            store.exclusively { [self] in
                let stored = isUnsaved.withLock { $0 } ? .value(held) : store.load()
                return stored.then(on: nil) { [self] stored -> Promise<OAuth2Token> in
                    guard let old = stored ?? held else { throw CredentialError.signInNeeded }
                    // Another process has renewed it, or it is read for the first time.
                    return old != held && isUsable(old, false) ? .value(old) : renewed(old)
                }
            }
        }.map(on: nil, \.accessToken)
    }

    private func renewed(_ old: OAuth2Token) -> Promise<OAuth2Token> {
        // First, because renewing may revoke the old pair, and a new one that cannot be stored may be lost.
        store.checkWritable().then(on: nil) { [self] in refresh(old) }.then(on: nil) { [self] fresh in
            var token = fresh
            token.refreshToken = fresh.refreshToken ?? old.refreshToken
            let kept = token
            cache.store(kept)
            isUnsaved.withLock { $0 = true }
            return store.save(kept).map(on: nil) { [self] in
                isUnsaved.withLock { $0 = false }
                return kept
            }
        }
    }
}

extension OAuth2TokenSource: Redacted {
    /// A placeholder, never the tokens.
    public var description: String { "OAuth2TokenSource(…)" }
}
