import ExistKit
import PledgeFiles
import PledgeHTTP

/// The tokens of a stored account, renewed in place by one process at a time.
///
/// Exist revokes both old tokens when it issues new ones, so two processes renewing at once would lock each other out.
struct ProfileTokens: OAuth2TokenStore {
    let store: ProfileStore
    let name: String

    func load() -> Promise<ExistToken?> {
        firstly { Promise.value(try profile().exist.token) }
    }

    func save(_ token: ExistToken) -> Promise<Void> {
        firstly {
            var (profile, credential) = try profile()
            credential.token = token
            profile.exist = credential
            return Promise.value(try store.save(profile, as: name))
        }
    }

    func checkWritable() -> Promise<Void> {
        firstly { Promise.value(try store.checkWritable(name)) }
    }

    func exclusively(_ renewal: @escaping @Sendable () -> Promise<ExistToken>) -> Promise<ExistToken> {
        FileLock.holding({ try store.lock(name) }, renewal)
    }

    private func profile() throws -> (Profile, exist: ExistCredential) {
        guard let profile = try store.load(name), let credential = profile.exist else {
            throw Failure("The profile “\(name)” is gone: sign in again with “pledge login”.")
        }
        return (profile, credential)
    }
}

extension ExistCredential {
    /// Returns the tokens of a profile's account; nil if its token can't be renewed.
    func renewableTokens(
        profile name: String, in store: ProfileStore, _ options: EndpointClient.Options
    ) -> OAuth2TokenSource? {
        guard let app, token.refreshToken != nil else { return nil }
        let oauth = ExistOAuth(
            clientID: app.clientID, clientSecret: app.clientSecret, redirectURI: app.redirectURI, baseURL: address,
            options: options)
        let username = username
        return OAuth2TokenSource(token, in: ProfileTokens(store: store, name: name), clock: options.clock) { old in
            oauth.refresh(old).mapError(on: nil) { error in
                Failure(
                    "The token of \(username) in the profile “\(name)” could not be renewed. \(error) "
                        + "If it stays so, sign in again with “pledge login”.")
            }
        }
    }
}
