import PledgeCoding

/// An access token for one participant, obtained by your server, which lets an app act for them. It is never printed.
public struct ParticipantAccessToken: Hashable, Sendable {
    let token: String

    /// Creates an access token from the text of `access_token`.
    public init(token: String) {
        self.token = token
    }
}

extension ParticipantAccessToken: Redacted {
    /// A placeholder description; never the token.
    public var description: String { "ParticipantAccessToken(…)" }
}

/// A source of the participant's token, queried before each request, so that a renewed token requires no new session.
/// If getting a token takes time, adopt `TokenSource` instead. See <doc:Tokens>.
///
/// In Swift 5 mode any class may conform. In Swift 6 mode it must be final, and the compiler warns about a token that
/// is mutated without a lock.
@preconcurrency  // For sources that were written before Swift 6, which are plain classes.
public protocol AccessTokenDataSource: AnyObject, Sendable {
    /// The current token; nil if there is none. Called from any thread.
    var accessToken: String? { get }
}

struct AccessTokenError: Error, CustomStringConvertible {
    var description: String { "the data source has no access token: sign the participant in before the first call" }
}
