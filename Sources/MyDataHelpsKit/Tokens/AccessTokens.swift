import Pledge
import PledgeHTTP

/// Adapts a data source to the client's token source.
final class AccessTokens: TokenSource {
    private let current: @Sendable () throws -> String

    init(_ source: some AccessTokenDataSource, hold: Authorizer.Hold) {
        let find = hold.finder(of: source)
        current = {
            guard let token = try find().accessToken, !token.isEmpty else { throw AccessTokenError() }
            return token
        }
    }

    func token() -> Promise<String> {
        firstly { Promise.value(try current()) }
    }

    func token(replacing rejected: String) -> Promise<String> {
        firstly { () throws -> Promise<String> in
            let token = try current()
            guard token != rejected else { throw NoOtherToken() }
            return .value(token)
        }
    }
}

/// The reason a data source cannot provide a token.
struct AccessTokenError: Error, CustomStringConvertible {
    var description: String { "the data source has no access token: sign the participant in before the first call" }
}
