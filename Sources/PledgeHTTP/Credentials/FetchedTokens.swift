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
    /// the token.
    package static func reading(
        _ clock: Timekeeper, _ read: @escaping @Sendable () throws -> Promise<String>
    ) -> FetchedTokens {
        let latest = SharedRenewal<String>()
        return FetchedTokens { rejected in
            latest.value(clock, if: { token, _ in token != rejected }) { _ in firstly(execute: read) }
        }
    }
}
