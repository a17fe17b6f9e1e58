import ExistKit
import Foundation
import Pledge
import PledgeHTTP

extension TokenOrigin {
    /// Returns the tokens of a stored profile, renewed by one process at a time, as in other commands. Nil if the name
    /// is invalid or the environment specifies no location for profiles.
    ///
    /// Renewing does not count toward the account's limits and does not wait for them, because it holds the profile's
    /// lock, for which other programs wait.
    static func profile(_ name: String, of service: AccountID.Service, _ environment: [String: String]) -> Self? {
        guard ProfileStore.isName(name), let store = ProfileStore(environment) else { return nil }
        /// Returns the profile, which must have been stored for the same server.
        @Sendable func stored(at address: URL) throws -> Profile {
            guard let stored = try store.load(name), let home = stored.account(service)?.address else {
                throw NoToken(
                    problem: "the profile “\(name)” has no account of \(service.title): sign in with “pledge login”")
            }
            guard home == address else {
                throw NoToken(
                    problem: "the account in the profile “\(name)” is of another server, \(home.absoluteString)")
            }
            return stored
        }
        return TokenOrigin(owner: { "profile \(name)" }) { _, address, options in
            DeferredTokens {
                firstly { () -> Promise<any TokenSource> in
                    let exist = try stored(at: address).exist
                    if service == .exist, let tokens = exist?.renewableTokens(profile: name, in: store, options) {
                        return .value(tokens)
                    }
                    return .value(
                        ReadTokens {
                            firstly {
                                let stored = try stored(at: address)
                                let token =
                                    service == .exist ? stored.exist?.token.accessToken : stored.mydatahelps?.token
                                return Promise.value(token ?? "")
                            }
                        })
                }
            }
        }
    }
}
