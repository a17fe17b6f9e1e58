import ExistKit
import Foundation
import PledgeHTTP

/// The token of a stored account, renewed in place by one process at a time, unless another has done so meanwhile.
///
/// Exist revokes both old tokens when it issues new ones, so two processes renewing at once would lock each other out.
final class ProfileTokens: TokenSource {
    private let store: ProfileStore
    private let name: String
    private let oauth: ExistOAuth
    private let clock: Timekeeper
    private let held: Locked<ExistToken>
    private let renewal = SingleFlight<String>()
    private static let queue = DispatchQueue(label: "pledge.profiles")

    init(_ token: ExistToken, _ oauth: ExistOAuth, profile name: String, in store: ProfileStore, clock: Timekeeper) {
        (self.store, self.name, self.oauth, self.clock) = (store, name, oauth, clock)
        held = Locked(token)
    }

    func token() -> Promise<String> {
        let now = clock.now
        return renew { $0.isExpired(at: now()) }
    }

    func token(replacing rejected: String) -> Promise<String> {
        renew { $0.accessToken == rejected }
    }

    private func renew(if isUseless: @escaping @Sendable (ExistToken) -> Bool) -> Promise<String> {
        renewal.join(unless: {
            let token = held.withLock { $0 }
            return isUseless(token) ? nil : .value(token.accessToken)
        }) {
            // Waiting for the lock blocks a thread, so it has a queue of its own.
            Self.queue.async(.promise) { [store, name] in try store.lock(name) }.then(on: nil) { [self] lock in
                renewLocked(isUseless).ensure(on: nil) { lock.release() }
            }
        }
    }

    private func renewLocked(_ isUseless: (ExistToken) -> Bool) -> Promise<String> {
        do {
            guard let profile = try store.load(name), let credential = profile.exist else {
                throw Failure("The profile “\(name)” is gone: sign in again with “pledge login”.")
            }
            guard isUseless(credential.token) else { return keep(credential.token) }
            // Check this first: renewing revokes the old token, so a new one that can't be stored would be lost.
            try store.checkWritable(name)
            let old = credential.token
            let (name, username) = (name, credential.username)
            return oauth.refresh(old).mapError(on: nil) { error in
                Failure(
                    "The token of \(username) in the profile “\(name)” could not be renewed. \(error) "
                        + "If it stays so, sign in again with “pledge login”.")
            }.then(on: nil) { [self, profile, credential] fresh -> Promise<String> in
                var (profile, credential) = (profile, credential)
                credential.token = fresh
                credential.token.refreshToken = fresh.refreshToken ?? old.refreshToken
                profile.exist = credential
                try store.save(profile, as: name)
                return keep(credential.token)
            }
        } catch {
            return Promise(error: error)
        }
    }

    private func keep(_ token: ExistToken) -> Promise<String> {
        held.withLock { $0 = token }
        return .value(token.accessToken)
    }
}

extension ExistCredential {
    /// Returns the tokens of this account in a profile; nil if its token can't be renewed.
    func renewableTokens(
        profile name: String, in store: ProfileStore, _ options: EndpointClient.Options
    ) -> ProfileTokens? {
        guard let app, token.refreshToken != nil else { return nil }
        let oauth = ExistOAuth(
            clientID: app.clientID, clientSecret: app.clientSecret, redirectURI: app.redirectURI, baseURL: address,
            options: options)
        return ProfileTokens(token, oauth, profile: name, in: store, clock: options.clock)
    }
}
