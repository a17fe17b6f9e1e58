import Pledge
import PledgeCoding

/// A credential, and the way in which a request carries it.
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
    package let token: (@Sendable () -> Promise<String>)?
    /// Requests a new token in place of a refused one; nil if none can be obtained.
    private let renew: (@Sendable (_ rejected: String) -> Promise<String>)?
    /// Returns whether the source found a token where others may change it. If false, the service issued the token just
    /// now.
    private let isFromStore: @Sendable (_ token: String) -> Bool
    /// The status codes with which the service refuses a token.
    private let refusals: Set<Int>
    /// The renewals. Only one runs at a time, even if many requests were refused together.
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
    ///   - statuses: The status codes with which the service refuses a token. Some services answer 403 for an expired
    ///     token. By default, a 403 counts as a missing permission, which a new token would lack as well.
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

    /// Returns an authorizer with the same tokens. A closure passes each token on, rejects it, or replaces it. The two
    /// authorizers' renewals do not wait for each other.
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

    /// Returns a replacement for a refused token. If a renewal is in progress, its outcome is used; so is one that
    /// ended after the request was sent. Otherwise, a renewal begins.
    func token(replacing refused: SentCredential, _ clock: Timekeeper) -> Promise<String> {
        renewals.token(
            replacing: refused.token, sentAfter: refused.renewals, isFromStore: refused.isFromStore, clock
        ) {
            renew?(refused.token) ?? Promise(error: NoOtherToken())
        }
    }
}

/// A token that was sent, and the number of renewals that had ended at that time.
struct SentCredential: Sendable {
    let token: String
    let renewals: Int
    /// Whether the source found the token in a store. If false, the service issued the token just now.
    let isFromStore: Bool
}

extension Authorizer: Redacted {
    /// The authentication scheme. The description never contains the token.
    public var description: String { token == nil ? "Authorizer.none" : "Authorizer(\(scheme))" }
}

/// The reason why there is no valid token to send.
public enum CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client does not keep the source alive, and the source has been deallocated.
    case sourceIsGone
    /// The source has no token, or no token that it can renew.
    case signInNeeded
    /// The service refused to renew the token, for the reason in its message. The user has to sign in again.
    case renewalRefused(message: String?)
    /// The token is empty, or it or its scheme contains a character that is not allowed in a header.
    case malformed

    /// A clause that says what the problem is and what to do about it.
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
    /// Returns a token for the next request. It is called before every request, so return the token from memory if
    /// possible.
    func token() -> Promise<String>

    /// Returns a new token after the service refused the given one. The default implementation calls ``token()``.
    ///
    /// It is called once for all requests that were refused together, and all of them receive the result. If the result
    /// is the refused token, there is no other token, and the requests fail with the refusal. The call is never
    /// canceled on their behalf, because services may invalidate the old tokens as soon as they issue new ones.
    func token(replacing rejected: String) -> Promise<String>
}

/// A source of tokens that are stored where others may change them.
package protocol StoredTokens: TokenSource {
    /// Returns whether a token was found in the store. If false, the service issued the token just now. If a token from
    /// the store replaces a refused one, and the service refuses it as well, it may just be old, so the source is asked
    /// once more.
    func isFromStore(_ token: String) -> Bool
}

/// A source whose tokens a closure returns.
package final class FetchedTokens: StoredTokens {
    private let fetch: @Sendable (_ rejected: String?) -> Promise<String>
    private let askStore: @Sendable (_ token: String) -> Bool

    /// - Parameters:
    ///   - isFromStore: Returns whether a token was found in a store, rather than issued just now.
    ///   - fetch: Returns the current token, or a token other than the rejected one.
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
