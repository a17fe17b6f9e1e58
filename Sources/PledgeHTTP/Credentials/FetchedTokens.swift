import Pledge

/// A source whose tokens a closure returns.
package final class FetchedTokens: TokenSource {
    private let fetch: @Sendable (_ rejected: String?) -> Promise<String>

    /// - Parameter fetch: Returns a token. If the argument is nil, the closure returns the current token. If the
    ///   argument is a rejected token, the closure returns another token.
    package init(_ fetch: @escaping @Sendable (_ rejected: String?) -> Promise<String>) { self.fetch = fetch }

    package func token() -> Promise<String> { fetch(nil) }
    package func token(replacing rejected: String) -> Promise<String> { fetch(rejected) }
}

extension FetchedTokens {
    /// Returns a token source that calls `read` when a token is first needed, and again after the service has rejected
    /// the token. If `read` then returns the rejected token again, the source rejects with ``NoOtherToken``.
    package static func reading(_ read: @escaping @Sendable () throws -> Promise<String>) -> FetchedTokens {
        let latest = SingleFlight<String>()
        return FetchedTokens { rejected in
            latest.value(.live, if: { token, _ in token != rejected }) { _ in firstly(execute: read) }
                .get(on: nil) { token in if token == rejected { throw NoOtherToken() } }
        }
    }
}
