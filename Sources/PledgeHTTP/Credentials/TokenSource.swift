import Pledge

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
    func isStored(_ token: String) -> Bool
}

/// A source of tokens that is a closure.
package final class FetchedTokens: StoredTokens {
    private let fetch: @Sendable (_ rejected: String?) -> Promise<String>
    private let isFound: @Sendable (_ token: String) -> Bool

    /// - Parameters:
    ///   - isStored: Returns whether a token was found, not issued just now.
    ///   - fetch: Returns the current token, or another than the rejected one.
    package init(
        isStored: @escaping @Sendable (_ token: String) -> Bool = { _ in false },
        _ fetch: @escaping @Sendable (_ rejected: String?) -> Promise<String>
    ) {
        (self.fetch, isFound) = (fetch, isStored)
    }

    package func token() -> Promise<String> { fetch(nil) }
    package func token(replacing rejected: String) -> Promise<String> { fetch(rejected) }
    package func isStored(_ token: String) -> Bool { isFound(token) }
}

extension TokenSource {
    /// Returns ``token()``, for sources that cannot renew a token.
    public func token(replacing rejected: String) -> Promise<String> { token() }
}
