import ExistKit
import Foundation
import Pledge
import PledgeHTTP

extension TokenOrigin {
    /// Returns the tokens of a stored account: those of an app at Exist are renewed as the other commands do, by one process
    /// at a time. Nil if that is not the name of a profile, or the environment has no place for any.
    ///
    /// Renewing is no request of the line's account, and waits for none of the run's limits: whoever renews holds the lock
    /// of the profile, for which other programs wait.
    static func profile(_ name: String, of service: AccountID.Service, _ environment: [String: String]) -> Self? {
        guard ProfileStore.isName(name), let store = ProfileStore(environment) else { return nil }
        /// Returns the profile, which must be for the server that the requests go to.
        @Sendable func stored(at address: URL) throws -> Profile {
            guard let stored = try store.load(name), let home = stored.address(service) else {
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
