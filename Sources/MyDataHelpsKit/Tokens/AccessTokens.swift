import Pledge
import PledgeHTTP

/// A data source as the client asks for tokens.
final class AccessTokens: TokenSource {
    private let current: @Sendable () throws -> String

    init(_ source: some AccessTokenDataSource, hold: Authorizer.Hold) {
        let find = hold.finder(of: source)
        current = {
            guard let token = try find().accessToken else { throw AccessTokenError.none }
            return token
        }
    }

    func token() -> Promise<String> {
        firstly { Promise.value(try current()) }
    }

    func token(replacing rejected: String) -> Promise<String> {
        firstly { () throws -> Promise<String> in
            let token = try current()
            guard token != rejected else { throw AccessTokenError.rejected }
            return .value(token)
        }
    }
}

/// Why a data source is of no help.
enum AccessTokenError: Error, CustomStringConvertible {
    /// It has no token.
    case none
    /// It still has the token that was refused, so there is nothing to try again with.
    case rejected

    var description: String {
        switch self {
        case .none: "the data source has no access token: sign the participant in before the first call"
        case .rejected: "the service refused the access token, and the data source has no other"
        }
    }
}
