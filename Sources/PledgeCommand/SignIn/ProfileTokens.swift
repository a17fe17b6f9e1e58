import ExistKit
import Foundation
import PledgeCoding
import PledgeFiles
import PledgeHTTP

/// The tokens of one account in a profile. They are sent only to the account's own server, for the account's own
/// person. If someone signs in to another account under the same profile name, reading a token fails.
///
/// When Exist issues new tokens, it revokes both old ones. So only one process at a time renews the tokens, and stores
/// them in the same profile.
struct ProfileTokens: OAuth2TokenStore {
    private let store: ProfileStore
    private let name: String
    private let service: Access.Service
    private let address: URL
    private let person: String
    private let kind: ExistCredential.Kind

    /// - Parameters:
    ///   - address: The server to which the tokens will be sent.
    ///   - kind: The kind of the tokens, which determines the authorization scheme of the requests.
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

    /// Returns the profile and the account's token, as they are stored now.
    private func stored() throws -> (profile: Profile, token: String) {
        guard let profile = try store.load(name), let account = profile.account(service) else {
            throw CredentialError.signInNeeded
        }
        guard account.address == address else {
            let home = account.address.absoluteString
            throw NoToken(problem: "the account in the profile “\(name)” is of another server, \(home)")
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

    /// Returns a source of the tokens. It renews them if the profile has what that takes.
    func source(_ options: EndpointClient.Options) throws -> any TokenSource {
        guard service == .exist, try stored().profile.exist?.isRenewable == true else {
            return FetchedTokens.reading { .value(try stored().token) }
        }
        return OAuth2TokenSource(in: self, clock: options.clock) { old in
            firstly { () throws -> Promise<ExistToken> in
                // The app of the latest sign-in, which may differ from that of the first.
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

extension ExistCredential {
    /// Whether the account's token can be renewed. A pasted token can't.
    var isRenewable: Bool { app != nil && token.refreshToken != nil }
}

struct NoToken: Error, CustomStringConvertible {
    var problem: String

    var description: String { "There is no token: \(problem)." }
}
