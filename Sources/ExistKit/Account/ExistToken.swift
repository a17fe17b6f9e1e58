import PledgeHTTP

/// A pair of tokens from Exist. It is never printed; encode it to store it in a safe place.
public typealias ExistToken = OAuth2Token

/// A source of a user's access token, which renews it shortly before it expires or when it is rejected, and passes each
/// new pair to your store before any request uses it.
public typealias ExistTokenSource = OAuth2TokenSource

extension OAuth2TokenSource {
    /// Creates a source from a stored pair of tokens; ``OAuth2TokenSource/init(_:in:leeway:clock:renewing:)`` is for a
    /// store that several processes share.
    ///
    /// - Parameters:
    ///   - token: The pair from your store.
    ///   - oauth: The client that renews the token, and whose clock is used.
    ///   - store: Stores a new pair. The old pair is invalid by then, so losing the new one means losing the account:
    ///     if this rejects, so does the request, and the pair stays in memory. Other callers wait for it, so it must
    ///     not request a token from this source.
    public convenience init(
        _ token: ExistToken, oauth: ExistOAuth, store: @escaping @Sendable (ExistToken) -> Promise<Void>
    ) {
        self.init(token, in: Saving(saved: Locked(token), save: store), clock: oauth.clock, renewing: oauth.refresh)
    }
}

/// A store that only the source itself changes, so that what it last saved need not be read again.
private struct Saving: OAuth2TokenStore {
    let saved: Locked<OAuth2Token>
    let save: @Sendable (OAuth2Token) -> Promise<Void>

    func load() -> Promise<OAuth2Token?> { .value(saved.withLock { $0 }) }

    func save(_ token: OAuth2Token) -> Promise<Void> {
        save(token).get(on: nil) { saved.withLock { $0 = token } }
    }
}
