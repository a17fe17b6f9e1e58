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
    /// Returns whether the source found a token where others may change it, not issued just now.
    private let isFromStore: @Sendable (_ token: String) -> Bool
    /// The status codes by which the service refuses a token.
    private let refusals: Set<Int>
    /// The renewals, one at a time no matter how many requests were refused together.
    private let renewals = TokenCache<String>()

    private init(
        _ scheme: String, token: (@Sendable () -> Promise<String>)?,
        renew: (@Sendable (_ rejected: String) -> Promise<String>)? = nil,
        isFromStore: @escaping @Sendable (_ token: String) -> Bool = { _ in false }, refusals: Set<Int> = []
    ) {
        self.scheme = scheme
        self.token = token
        self.renew = renew
        self.isFromStore = isFromStore
        self.refusals = refusals
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
    ///
    /// - Parameters:
    ///   - source: The source of the tokens.
    ///   - hold: The way the client references the source.
    ///   - scheme: The authentication scheme.
    ///   - statuses: The status codes that mean the service refuses the token. Some services answer 403 for one that has
    ///     expired; by default, that is a missing permission, which a new token would lack as well.
    public static func source(
        _ source: some TokenSource, hold: Hold = .strong, scheme: String = "Bearer",
        renewingAfter statuses: Set<Int> = [401]
    ) -> Authorizer {
        let find = hold.finder(of: source)
        return Authorizer(
            scheme, token: { firstly { try find().token() } },
            renew: { rejected in firstly { try find().token(replacing: rejected) } },
            isFromStore: { token in ((try? find()) as? any StoredTokens)?.isFromStore(token) ?? false },
            refusals: statuses)
    }

    /// Returns an authorizer with the same tokens, each of which a closure passes on, rejects, or replaces. Renewals of
    /// the two do not wait for each other.
    func passing(_ check: @escaping @Sendable (_ token: String) -> Promise<String>) -> Authorizer {
        var checked: (@Sendable () -> Promise<String>)?
        if let token { checked = { token().then(on: nil, check) } }
        var renewed: (@Sendable (String) -> Promise<String>)?
        if let renew { renewed = { renew($0).then(on: nil, check) } }
        return Authorizer(scheme, token: checked, renew: renewed, isFromStore: isFromStore, refusals: refusals)
    }

    /// Returns the credential of a request that is about to be sent; nil if it cannot be renewed.
    func credential(_ token: String) -> SentCredential? {
        renew == nil ? nil : SentCredential(token: token, renewals: renewals.renewals, isFromStore: isFromStore(token))
    }

    /// Returns whether a response refuses the token of its request.
    func isRefusal(_ status: Int) -> Bool { refusals.contains(status) }

    /// Returns a replacement for a refused token: one in progress, one received since the request was sent, or another.
    func token(replacing refused: SentCredential, _ clock: Timekeeper) -> Promise<String> {
        renewals.token(
            replacing: refused.token, sentAfter: refused.renewals, isFromStore: refused.isFromStore, clock
        ) {
            renew?(refused.token) ?? Promise(error: NoOtherToken())
        }
    }
}

/// A token as sent, and the number of renewals that had ended by then.
struct SentCredential: Sendable {
    let token: String
    let renewals: Int
    /// Whether the token was found, not issued just now.
    let isFromStore: Bool
}

extension Authorizer: Redacted {
    /// The authentication scheme, never the token.
    public var description: String { token == nil ? "Authorizer.none" : "Authorizer(\(scheme))" }
}

/// The reason there is no valid token to send.
public enum CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The source was weakly referenced and has been deallocated.
    case sourceIsGone
    /// The source has no token, or none that it can renew.
    case signInNeeded
    /// The service refused to renew the token, for the reason in its message: the user has to sign in again.
    case renewalRefused(message: String?)
    /// The token is empty, or it or its scheme contains a character that is not allowed in a header.
    case malformed

    /// The problem and what to do about it, as a clause.
    public var description: String {
        switch self {
        case .sourceIsGone:
            "the token source is gone: keep a reference to it, or let the client hold it strongly"
        case .signInNeeded:
            "there is no token that can be renewed: let the user sign in again"
        case .renewalRefused(let message):
            "the service refused to renew the token"
                + (message.flatMap(ServiceMessage.line).map { ", saying “\($0)”" } ?? "")
        case .malformed:
            "the token is empty, or it or its scheme contains a line break or another character that is not allowed"
        }
    }
}

/// A source of access tokens, which allows a token to be renewed without creating a new client.
///
/// Adopt this protocol in the type that stores the user's tokens; all other code sees only a promise of a token.
public protocol TokenSource: AnyObject, Sendable {
    /// Returns a token for the next request. Called before every request, so return it from memory if possible.
    func token() -> Promise<String>

    /// Returns a new token after the service refused the given one. The default implementation calls ``token()``.
    ///
    /// It is called once for all requests that were refused together, and all of them receive the result. If that is
    /// the refused token, there is no other, and the refusal is their error. The call is never canceled on their
    /// behalf, as services may invalidate the old tokens as soon as they issue new ones.
    func token(replacing rejected: String) -> Promise<String>
}

/// A source of tokens that are stored where others may change them.
package protocol StoredTokens: TokenSource {
    /// Returns whether a token was found, not issued just now. If the service refuses it in place of another one, it may
    /// just be old, and the source is asked once more.
    func isFromStore(_ token: String) -> Bool
}

/// A source of tokens that is a closure.
package final class FetchedTokens: StoredTokens {
    private let fetch: @Sendable (_ rejected: String?) -> Promise<String>
    private let askStore: @Sendable (_ token: String) -> Bool

    /// - Parameters:
    ///   - isFromStore: Returns whether a token was found, not issued just now.
    ///   - fetch: Returns the current token, or another than the rejected one.
    package init(
        isFromStore: @escaping @Sendable (_ token: String) -> Bool = { _ in false },
        _ fetch: @escaping @Sendable (_ rejected: String?) -> Promise<String>
    ) {
        self.fetch = fetch
        askStore = isFromStore
    }

    package func token() -> Promise<String> { fetch(nil) }
    package func token(replacing rejected: String) -> Promise<String> { fetch(rejected) }
    package func isFromStore(_ token: String) -> Bool { askStore(token) }
}

extension TokenSource {
    /// Returns ``token()``, for sources that cannot renew a token.
    public func token(replacing rejected: String) -> Promise<String> { token() }
}
