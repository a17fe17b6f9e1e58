import Pledge
import PledgeCoding

/// Gives tokens when they are needed, so that a renewed one needs no new client.
///
/// Adopt it in whatever holds the user's tokens; everything else sees only the promise of one.
public protocol TokenSource: AnyObject, Sendable {
    /// A token for the next request. Asked before every request, so answer from memory where you can.
    func token() -> Promise<String>

    /// Another token, because the service did not accept this one. By default the same question as ``token()``.
    ///
    /// However many requests were refused together, this is asked once, and all of them get the answer. It is never
    /// cancelled on their behalf: services may void the old tokens the moment they hand out new ones.
    func token(replacing rejected: String) -> Promise<String>
}

extension TokenSource {
    /// Asks for ``token()`` again, where a source has nothing better.
    public func token(replacing rejected: String) -> Promise<String> { token() }
}

/// Puts the credential on a request.
///
/// Tokens live inside closures, where neither `print` nor `dump` nor a mirror can find them.
public struct Authorizer: Sendable {
    /// How a source is held.
    public enum Hold: Sendable {
        /// The client keeps it alive.
        case strong
        /// Somebody else does. When it is gone, requests fail with an error that says so.
        case weak

        /// Finds an object again that is held this way; throws ``CredentialError/sourceIsGone`` once it is gone.
        package func finder<Object: AnyObject & Sendable>(of object: Object) -> @Sendable () throws -> Object {
            let strong = self == .strong ? object : nil
            return { [weak object] in
                guard let found = strong ?? object else { throw CredentialError.sourceIsGone }
                return found
            }
        }
    }

    /// `Bearer`, or what the service says instead.
    let scheme: String
    /// The token to use; nil without a credential.
    package let token: (@Sendable () -> Promise<String>)?
    /// Asks for another; nil where there is no other to be had.
    let refresher: TokenRefresher?

    /// Requests go without a credential.
    public static let none = Authorizer(scheme: "", token: nil, refresher: nil)

    /// A token that is sent as `Authorization: Bearer …`.
    public static func bearer(_ token: String) -> Authorizer {
        scheme("Bearer", token)
    }

    /// `Authorization: <scheme> …`, for services with a scheme of their own.
    public static func scheme(_ scheme: String, _ token: String) -> Authorizer {
        let fixed = Promise.value(token)
        return Authorizer(scheme: scheme, token: { fixed }, refresher: nil)
    }

    /// A token asked for before each request, and asked for again, once, when the service refuses it.
    ///
    /// - Parameters:
    ///   - source: who is asked.
    ///   - hold: whether the client keeps the source alive.
    ///   - scheme: the word before the token.
    public static func source(
        _ source: some TokenSource, hold: Hold = .strong, scheme: String = "Bearer"
    ) -> Authorizer {
        let find = hold.finder(of: source)
        return Authorizer(
            scheme: scheme, token: { firstly { try find().token() } },
            refresher: TokenRefresher { rejected in
                firstly { try find().token(replacing: rejected) }
            })
    }
}

extension Authorizer: Discreet {
    /// The word before the token; never the token.
    public var description: String { token == nil ? "Authorizer.none" : "Authorizer(\(scheme))" }
}

/// Why there is no token to send.
public enum CredentialError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The source was held weakly, and is gone.
    case sourceIsGone
    /// The source gave a new token, and the service refused that at once as well.
    case refusedAgain
    /// The token is empty, or holds a character no header can carry.
    case malformed

    /// A clause that says what to do.
    public var description: String {
        switch self {
        case .sourceIsGone:
            "the token source is gone: keep a reference to it, or let the client hold it strongly"
        case .refusedAgain:
            "the service refuses new tokens as well: check where they come from"
        case .malformed:
            "the token is empty, or holds a line break or another character no token can have"
        }
    }
}
