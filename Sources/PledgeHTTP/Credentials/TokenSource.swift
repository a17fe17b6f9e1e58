import Pledge

/// A source of access tokens. A client asks its source for a token before each request, so you can keep the client when
/// the token is renewed.
///
/// Adopt this protocol in the type that stores the user's tokens. All other code sees only a promise of a token.
public protocol TokenSource: AnyObject, Sendable {
    /// Returns a token for the next request. The client calls this method before every request, so return the token
    /// from memory if possible.
    func token() -> Promise<String>

    /// Returns a new token after the service refused the given one. The default implementation calls ``token()``.
    ///
    /// If several requests were refused together, the client calls this method once, and all these requests receive the
    /// result. If the result is the refused token again, the client concludes that there is no other token, and the
    /// requests fail with the response that refused the token.
    ///
    /// The client doesn't cancel the promise even if all these requests are canceled. A service may invalidate the old
    /// tokens as soon as it issues new ones, so a renewal must run to its end.
    func token(replacing rejected: String) -> Promise<String>
}

extension TokenSource {
    /// Returns the result of ``token()``. This default is for sources that cannot renew a token.
    public func token(replacing rejected: String) -> Promise<String> { token() }
}

/// The error of a source that has no token except the refused one. The call then fails with the response that refused
/// the token.
package struct NoOtherToken: Error {
    /// Whether the refused token is the result of a renewal.
    let isNew: Bool

    package init(isNew: Bool = false) { self.isNew = isNew }
}

/// The reason why there is no valid token to send.
public enum CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client does not keep the source alive, and the source has been deallocated.
    case sourceIsGone
    /// The source has no token, or no token that it can renew.
    case signInNeeded
    /// The service refused to renew the token, for the reason in its message. The user has to sign in again.
    case renewalRefused(message: String?)
    /// The token is empty, or the token or its scheme contains a character that is not allowed in a header.
    case malformed

    /// A clause that says what the problem is and what to do about it.
    public var description: String {
        switch self {
        case .sourceIsGone:
            "the token source is gone: keep a reference to it, or let the client hold it strongly"
        case .signInNeeded:
            "there is no token that can be renewed: let the user sign in again"
        case .renewalRefused(let message):
            "the service refused to renew the token" + ServiceMessage.clause(message)
        case .malformed:
            "the token is empty, or the token or its scheme has a line break or another character that is not allowed"
        }
    }
}
