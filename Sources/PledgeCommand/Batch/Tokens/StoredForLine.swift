import ExistKit
import Foundation
import Pledge
import PledgeHTTP

/// The account of a profile, whose tokens a line uses.
struct StoredForLine: Sendable {
    let profile: String
    private let service: AccountID.Service
    private let store: ProfileStore

    /// Creates it from a line's text; nil if that is not the name of a profile, or the environment has no place for any.
    init?(_ name: String, of service: AccountID.Service, _ environment: [String: String]) {
        guard ProfileStore.isName(name), let store = ProfileStore(environment) else { return nil }
        (profile, self.store, self.service) = (name, store, service)
    }

    /// Returns its tokens: those of an app at Exist are renewed as the other commands do, by one process at a time.
    ///
    /// Renewing is no request of the account's, and waits for none of the run's limits: whoever renews holds the lock of
    /// the profile, for which other programs wait.
    ///
    /// - Parameters:
    ///   - address: Where the account's requests go, which must be the server that the profile is for.
    ///   - options: The options of the client that renews.
    func tokens(at address: URL, _ options: EndpointClient.Options) -> any TokenSource {
        DeferredTokens { [self] in
            firstly { Promise<any TokenSource>.value(try source(at: address, options)) }
        }
    }

    private func source(at address: URL, _ options: EndpointClient.Options) throws -> any TokenSource {
        let stored = try stored(at: address)
        if service == .exist, let exist = stored.exist,
            let tokens = exist.renewableTokens(profile: profile, in: store, options)
        {
            return tokens
        }
        return ReadTokens { [self] in firstly { Promise.value(try fixedToken(at: address)) } }
    }

    private func stored(at address: URL) throws -> Profile {
        guard let stored = try store.load(profile), let home = stored.address(service) else {
            throw NoToken(
                problem: "the profile “\(profile)” has no account of \(service.title): sign in with “pledge login”")
        }
        guard home == address else {
            throw NoToken(
                problem: "the account in the profile “\(profile)” is of another server, \(home.absoluteString)")
        }
        return stored
    }

    private func fixedToken(at address: URL) throws -> String {
        let stored = try stored(at: address)
        return (service == .exist ? stored.exist?.token.accessToken : stored.mydatahelps?.token) ?? ""
    }
}
