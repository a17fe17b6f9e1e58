import Pledge
import PledgeCoding

/// A credential, and how it is added to a request.
///
/// Tokens are stored inside closures, where `print`, `dump`, and mirrors cannot find them.
public struct Authorizer: Sendable {
    /// The way a client references its token source.
    public enum Hold: Sendable {
        /// The client keeps the source alive.
        case strong
        /// The client does not keep the source alive. Once it is deallocated, requests fail with a descriptive error.
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
    /// Returns the token to use; nil without a credential.
    package let token: (@Sendable () -> Promise<String>)?
    /// Requests a new token in place of a refused one; nil if none can be obtained.
    private let renew: (@Sendable (_ rejected: String) -> Promise<String>)?
    /// The renewals, one at a time no matter how many requests were refused together.
    private let renewals = TokenCache<String>()

    private init(
        _ scheme: String, token: (@Sendable () -> Promise<String>)?,
        renew: (@Sendable (_ rejected: String) -> Promise<String>)? = nil
    ) {
        (self.scheme, self.token, self.renew) = (scheme, token, renew)
    }

    /// An authorizer that adds no credential.
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

    /// Returns an authorizer that requests a token before each request, and a new one, once, if the service refuses it.
    public static func source(
        _ source: some TokenSource, hold: Hold = .strong, scheme: String = "Bearer"
    ) -> Authorizer {
        let find = hold.finder(of: source)
        return Authorizer(scheme, token: { firstly { try find().token() } }) { rejected in
            firstly { try find().token(replacing: rejected) }
        }
    }

    /// Returns the credential of a request that is about to be sent; nil if it cannot be renewed.
    func credential(_ token: String) -> SentCredential? {
        renew == nil ? nil : SentCredential(token: token, renewals: renewals.renewals)
    }

    /// Returns a replacement for a refused token: one in progress, one received since the request was sent, or another.
    func token(replacing refused: SentCredential, _ clock: Timekeeper) -> Promise<String> {
        renewals.token(replacing: refused.token, sentAfter: refused.renewals, clock) {
            renew?(refused.token) ?? Promise(error: NoOtherToken())
        }
    }
}

/// A token as sent, and the number of renewals that had ended by then.
struct SentCredential: Sendable {
    let token: String
    let renewals: Int
}

extension Authorizer: Redacted {
    /// The authentication scheme, never the token.
    public var description: String { token == nil ? "Authorizer.none" : "Authorizer(\(scheme))" }
}

/// The reason there is no valid token to send.
public enum CredentialError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The source was weakly referenced and has been deallocated.
    case sourceIsGone
    /// The source has no token, or none that it can renew.
    case signInNeeded
    /// The token is empty, or it or its scheme contains a character that is not allowed in a header.
    case malformed

    /// The problem and what to do about it, as a clause.
    public var description: String {
        switch self {
        case .sourceIsGone:
            "the token source is gone: keep a reference to it, or let the client hold it strongly"
        case .signInNeeded:
            "there is no token that can be renewed: let the user sign in again"
        case .malformed:
            "the token is empty, or it or its scheme contains a line break or another character that is not allowed"
        }
    }
}
