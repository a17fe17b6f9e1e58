import Pledge

/// Renews the tokens that a service refuses: once, no matter how many requests were refused together.
struct TokenRefresher: Sendable {
    private let cache = TokenCache<String>()
    private let renew: @Sendable (_ rejected: String) -> Promise<String>

    init(renew: @escaping @Sendable (_ rejected: String) -> Promise<String>) { self.renew = renew }

    /// Returns the credential of a request that is about to be sent.
    func credential(_ token: String) -> SentCredential { SentCredential(token: token, renewals: cache.renewals) }

    /// Returns a replacement for a refused token: one being requested, one received since the request was sent, or a new
    /// one.
    func token(replacing refused: SentCredential, _ clock: Timekeeper) -> Promise<String> {
        cache.token(replacing: refused.token, sentAfter: refused.renewals, clock) { renew(refused.token) }
    }
}

/// A token as sent, and the number of renewals that had ended by then.
struct SentCredential: Sendable {
    let token: String
    let renewals: Int
}
