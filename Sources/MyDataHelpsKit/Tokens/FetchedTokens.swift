import Pledge
import PledgeHTTP

/// A source of tokens that a closure fetches.
final class FetchedTokens: TokenSource {
    private let fetch: @Sendable (_ rejected: String?) -> Promise<String>

    /// - Parameter fetch: Returns the current token, or another than the one that was rejected.
    init(_ fetch: @escaping @Sendable (_ rejected: String?) -> Promise<String>) { self.fetch = fetch }

    func token() -> Promise<String> { fetch(nil) }
    func token(replacing rejected: String) -> Promise<String> { fetch(rejected) }
}

/// The reason a data source cannot provide a token.
struct AccessTokenError: Error, CustomStringConvertible {
    var description: String { "the data source has no access token: sign the participant in before the first call" }
}
