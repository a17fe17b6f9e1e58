import Pledge
import PledgeHTTP

final class FetchedTokens: TokenSource {
    private let fetch: @Sendable (_ rejected: String?) -> Promise<String>

    /// - Parameter fetch: Returns the current token, or another than the rejected one.
    init(_ fetch: @escaping @Sendable (_ rejected: String?) -> Promise<String>) { self.fetch = fetch }

    func token() -> Promise<String> { fetch(nil) }
    func token(replacing rejected: String) -> Promise<String> { fetch(rejected) }
}

struct AccessTokenError: Error, CustomStringConvertible {
    var description: String { "the data source has no access token: sign the participant in before the first call" }
}
