import PledgeCoding

/// What a server of yours got for one participant, so that an app may act for them.
///
/// It is never printed.
public struct ParticipantAccessToken: Hashable, Sendable {
    let token: String

    /// Makes a token of its text.
    ///
    /// - Parameter token: the value of `access_token`.
    public init(token: String) {
        self.token = token
    }
}

extension ParticipantAccessToken: Discreet {
    /// That there is one; never the token.
    public var description: String { "ParticipantAccessToken(…)" }
}

/// Whoever holds the participant's token: asked before each request, so that a renewed token needs no new session.
///
/// ```swift
/// extension SignIn: AccessTokenDataSource {
///     var accessToken: String? { keychain.token }
/// }
///
/// let session = ParticipantSession(client: client, dataSource: signIn)
/// ```
///
/// Where getting a token takes time, adopt `TokenSource` instead.
///
/// In Swift 5 mode any class may adopt it. In Swift 6 mode it has to be final, and the compiler warns of a token that is
/// changed without a lock.
@preconcurrency  // For sources that were written before Swift 6, which are plain classes.
public protocol AccessTokenDataSource: AnyObject, Sendable {
    /// The token as it is now; nil if there is none. Called from any thread.
    var accessToken: String? { get }
}
