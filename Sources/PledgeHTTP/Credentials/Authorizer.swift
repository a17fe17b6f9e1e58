import Foundation
import Pledge
import PledgeCoding

/// A credential, and the way in which it is added to a request.
///
/// Tokens are stored inside closures, so that `print`, `dump`, and mirrors cannot find them.
public struct Authorizer: Sendable {
    /// The way a client references its token source.
    public enum Hold: Sendable {
        /// The client keeps the source alive.
        case strong
        /// The client does not keep the source alive. Once the source is deallocated, requests fail with a descriptive
        /// error.
        case weak

        /// Returns a function that finds the object or throws ``CredentialError/sourceIsGone`` if it is deallocated.
        package func finder<Object: AnyObject & Sendable>(of object: Object) -> @Sendable () throws -> Object {
            let strong = self == .strong ? object : nil
            return { [weak object] in
                guard let found = strong ?? object else { throw CredentialError.sourceIsGone }
                return found
            }
        }
    }

    /// The authentication scheme, such as `Bearer`.
    let scheme: String
    /// Returns the token to use; nil if there is no credential.
    package private(set) var token: (@Sendable () -> Promise<String>)?
    /// The way to replace a token that the service has refused; nil if the token cannot be renewed.
    private var renewal: Renewal?

    private struct Renewal: Sendable {
        /// Returns a token in place of a refused one. All refused requests of a client share one renewal.
        var replace: @Sendable (_ refused: SentCredential, _ clock: Timekeeper) -> Promise<String>
        /// Returns whether the source found the token in a store that others may change.
        let isFromStore: @Sendable (_ token: String) -> Bool
        /// The status codes with which the service refuses a token.
        let refusals: Set<Int>
        /// Returns the number of renewals that have ended.
        let renewalCount: @Sendable () -> Int
    }

    private init(_ scheme: String, token: (@Sendable () -> Promise<String>)?, _ renewal: Renewal? = nil) {
        self.scheme = scheme
        self.token = token
        self.renewal = renewal
    }

    /// An authorizer that does not add a credential.
    public static let none = Authorizer("", token: nil)

    /// Returns an authorizer that sends a token as `Authorization: Bearer …`.
    public static func bearer(_ token: String) -> Authorizer {
        scheme("Bearer", token)
    }

    /// Returns an authorizer that sends `Authorization: <scheme> …`, for services with a custom scheme.
    public static func scheme(_ scheme: String, _ token: String) -> Authorizer {
        let fixed = Promise.value(token)
        return Authorizer(scheme, token: { fixed })
    }

    /// Returns an authorizer that asks a source for a token before each request. If the service refuses the token, the
    /// authorizer asks once for a new one.
    ///
    /// - Parameters:
    ///   - source: The source of the tokens.
    ///   - hold: The way the client references the source.
    ///   - scheme: The authentication scheme.
    ///   - statuses: The status codes with which the service refuses a token. By default, a 403 is not among them,
    ///     because a 403 usually reports a missing permission, which a new token would lack as well. Some services
    ///     answer 403 for an expired token; for such a service, add 403.
    public static func source(
        _ source: some TokenSource, hold: Hold = .strong, scheme: String = "Bearer",
        renewingAfter statuses: Set<Int> = [401]
    ) -> Authorizer {
        let find = hold.finder(of: source)
        // Remembers the outcome of the latest renewal, and runs only one renewal at a time, even if many requests were
        // refused together. The source may have a `SharedRenewal` of its own, because several clients may share a
        // source. The one here knows which requests of this client were sent before a renewal ended.
        let latest = SharedRenewal<String>()
        return Authorizer(
            scheme, token: { firstly { try find().token() } },
            Renewal(
                replace: { refused, clock in
                    latest.replacement(for: refused, clock) {
                        firstly { try find().token(replacing: refused.token) }
                    }
                },
                isFromStore: { token in ((try? find()) as? OAuth2TokenSource)?.isFromStore(token) ?? false },
                refusals: statuses, renewalCount: { latest.renewalCount }))
    }

    /// Returns an authorizer that passes each token of this authorizer through a closure. The closure returns the token,
    /// rejects, or returns another token.
    ///
    /// The two authorizers share renewals. A renewal ends before its token is passed to the closure, so the closure may
    /// send requests with tokens of this authorizer.
    func passingTokens(through pass: @escaping @Sendable (_ token: String) -> Promise<String>) -> Authorizer {
        var passing = self
        if let token {
            passing.token = { token().then(on: nil, pass) }
        }
        if let renewal {
            passing.renewal?.replace = { renewal.replace($0, $1).then(on: nil, pass) }
        }
        return passing
    }

    /// Returns the credential of a request that is about to be sent; nil if the token cannot be renewed.
    func credential(_ token: String) -> SentCredential? {
        renewal.map {
            SentCredential(token: token, renewalCount: $0.renewalCount(), isFromStore: $0.isFromStore(token))
        }
    }

    /// Returns whether a response refuses the token of its request.
    func isRefusal(_ status: Int) -> Bool { renewal?.refusals.contains(status) ?? false }

    /// Returns a replacement for a refused token; nil if the token cannot be renewed.
    ///
    /// If a renewal is in progress, the result is the outcome of that renewal. If the latest renewal ended recently,
    /// and the request had been sent before it ended, the result is the outcome of that renewal. In all other cases, a
    /// new renewal begins.
    func replacement(for refused: SentCredential, _ clock: Timekeeper) -> Promise<String>? {
        renewal?.replace(refused, clock)
    }
}

/// A token that was sent and can be renewed.
struct SentCredential: Sendable {
    let token: String
    /// The number of renewals that had ended when the token was sent.
    let renewalCount: Int
    /// Whether the source found the token in a store that others may change. Such a token may be old. If a renewal
    /// returned such a token, and the service refuses it, another renewal may help.
    let isFromStore: Bool
}

extension Authorizer: Redacted {
    /// The authentication scheme. The description never contains the token.
    public var description: String { token == nil ? "Authorizer.none" : "Authorizer(\(scheme))" }
}
