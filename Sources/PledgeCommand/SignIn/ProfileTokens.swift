import ExistKit
import Foundation
import Pledge
import PledgeCoding
import PledgeFiles
import PledgeHTTP

/// The tokens of one account in a profile.
///
/// The tokens are sent only to the account's server, and are used only for the account's owner. If someone signs in to
/// another account under the same profile name, the next attempt to read a token fails.
///
/// When Exist issues new tokens, it revokes the old access token and the old refresh token. Therefore, only one process
/// at a time renews the tokens. That process stores the new tokens in the same profile.
struct ProfileTokens: OAuth2TokenStore {
    private let store: ProfileStore
    private let name: String
    private let service: Access.Service
    private let address: URL
    private let person: String
    private let kind: ExistCredential.Kind

    /// - Parameters:
    ///   - address: The server to which the tokens will be sent.
    ///   - kind: The kind of the tokens. It determines the authorization scheme of the requests.
    /// - Throws: ``NoToken`` if the profile has no such account.
    init(
        of service: Access.Service, profile name: String, in store: ProfileStore, at address: URL,
        _ kind: ExistCredential.Kind
    ) throws {
        self.store = store
        self.name = name
        self.service = service
        self.address = address.asBase
        self.kind = kind
        guard let account = try store.load(name)?.account(service) else {
            throw NoToken(
                problem: "the profile “\(name)” has no account of \(service.title): sign in with “pledge login”")
        }
        person = account.person
        _ = try stored()
    }

    /// Returns the profile and the account's token as they are stored at this moment. Throws if the profile's account
    /// has been removed or replaced since this value was created.
    private func stored() throws -> (profile: Profile, token: String) {
        guard let profile = try store.load(name), let account = profile.account(service) else {
            throw CredentialError.signInNeeded
        }
        guard account.address == address else {
            let home = account.address.absoluteString
            throw NoToken(problem: "the account in the profile “\(name)” belongs to another server, \(home)")
        }
        guard ExactText(account.person) == ExactText(person) else {
            throw NoToken(problem: "the profile “\(name)” now has the account of someone else, \(account.person)")
        }
        if let own = account.kind, own != kind {
            throw NoToken(
                problem: "the token in the profile “\(name)” needs \"kind\":\"\(own.rawValue)\" beside “token”")
        }
        return (profile, account.token)
    }

    /// Returns a source that provides the tokens to requests. The source renews expired tokens if the profile has a
    /// refresh token, and the app to which this token was issued.
    func source(_ options: EndpointClient.Options) throws -> any TokenSource {
        guard service == .exist, try stored().profile.exist?.isRenewable == true else {
            return FetchedTokens.reading(options.clock) { .value(try stored().token) }
        }
        return OAuth2TokenSource(in: self, clock: options.clock) { old in
            firstly { () throws -> Promise<ExistToken> in
                // The app is read again for each renewal, because the user may have signed in with another app since
                // this source was created.
                guard let exist = try stored().profile.exist, let app = exist.app else {
                    throw CredentialError.signInNeeded
                }
                let oauth = ExistOAuth(
                    clientID: app.clientID, clientSecret: app.clientSecret, redirectURI: app.redirectURI,
                    baseURL: exist.address, options: options)
                return oauth.refresh(old)
            }
        }
    }

    func load() -> Promise<ExistToken?> {
        firstly { Promise.value(try stored().profile.exist?.token) }
    }

    func save(_ token: ExistToken) -> Promise<Void> {
        firstly {
            var profile = try stored().profile
            profile.exist?.token = token
            return Promise.value(try store.save(profile, as: name))
        }
    }

    func checkWritable() -> Promise<Void> {
        firstly { Promise.value(try store.checkWritable(name)) }
    }

    func exclusively(_ renewal: @escaping @Sendable () -> Promise<ExistToken>) -> Promise<ExistToken> {
        FileLock.holding({ try store.lock(name) }, renewal)
    }
}

struct NoToken: Error, CustomStringConvertible {
    var problem: String

    var description: String { "There is no token: \(problem)." }
}
