import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ServiceAccount {
    /// Returns a token of the account itself, for the administration API. `POST identityserver/connect/token`
    ///
    /// The token is cached until shortly before it expires. The signer runs on a global queue. If it throws, the
    /// promise rejects with ``MyDataHelpsError/encodingError(_:)``.
    ///
    /// If you cancel the promise, only this promise stops waiting. A request in progress continues for other callers.
    public func serviceToken() -> Promise<IssuedToken> { serviceToken(replacing: nil) }

    /// Returns a new token for a participant. Your server passes it to the participant's app.
    /// `POST identityserver/connect/token`
    ///
    /// - Parameters:
    ///   - participantID: The participant's identifier that is internal to MyDataHelps; see ``participant(_:in:)``.
    ///   - scopes: The permissions of the app, such as `Participant:read`.
    ///   - clientID: The client identifier that the service associates with the app.
    public func participantToken(
        for participantID: ParticipantInfo.ID, scopes: [String] = ["api"],
        clientID: String = "MyDataHelps.DelegatedParticipant"
    ) -> Promise<IssuedToken> {
        guard !participantID.value.isEmpty else {
            return Promise(error: MyDataHelpsError.encodingError(FailureReason.noSuchLink))
        }
        return serviceToken().then(on: nil) { service -> Promise<IssuedToken> in
            self.request([
                "scope": scopes.joined(separator: " "),
                "grant_type": "delegated_participant",
                "participant_id": participantID.value,
                "client_id": clientID,
                "client_secret": "secret",
                "token": service.value,
            ])
        }
    }

    /// Returns a source of tokens for a participant, for a server that calls the service itself. Each token is used
    /// until shortly before it expires.
    public func tokens(for participantID: ParticipantInfo.ID, scopes: [String] = ["api"]) -> any TokenSource {
        let cache = TokenCache<IssuedToken>()
        let clock = client.clock
        return FetchedTokens { rejected in
            cache.token(clock, replacing: rejected) { self.participantToken(for: participantID, scopes: scopes) }
                .map(on: nil, \.value)
        }
    }
}

/// An access token for one participant. Your server obtains it, and an app uses it to act for the participant. It is
/// never printed.
public struct ParticipantAccessToken: Hashable, Sendable {
    let token: String

    /// Creates an access token from the text of `access_token` in the service's response.
    public init(token: String) {
        self.token = token
    }
}

extension ParticipantAccessToken: Redacted {
    /// A placeholder, and never the token.
    public var description: String { "ParticipantAccessToken(…)" }
}

/// A source of the participant's token. The session asks it for the token before each request, so you don't need a new
/// session after the token was renewed.
///
/// If getting a token takes time, conform to `TokenSource` instead. See <doc:Tokens>.
///
/// In Swift 5 mode, any class may conform. In Swift 6 mode, the class must be final. The compiler then warns if the
/// class can change the token without a lock.
@preconcurrency  // For data sources that are plain classes, because they were written before Swift 6.
public protocol AccessTokenDataSource: AnyObject, Sendable {
    /// The current token; nil if there is none. The session may read it on any thread.
    var accessToken: String? { get }
}

struct AccessTokenError: Error, CustomStringConvertible {
    var description: String { "the data source has no access token: sign the participant in before the first call" }
}

/// An issued access token and its lifetime. The token is never printed.
public struct IssuedToken: Sendable, Equatable {
    /// The token itself, which you pass to the participant's app.
    public let value: String
    /// The lifetime in seconds, starting at the time of the request.
    public let lifetime: TimeInterval
    /// The date on which the token expires.
    public let expires: Date
    /// The date on which the token should be renewed. It is after four fifths of the token's lifetime, or a minute
    /// before the token expires if that is earlier.
    public var renewal: Date { expires.addingTimeInterval(min(-lifetime / 5, -min(60, lifetime))) }

    init(_ response: TokenOutput, asked: Date) {
        value = response.accessToken
        lifetime = response.expiresIn
        expires = asked.addingTimeInterval(lifetime)
    }
}

extension IssuedToken: Redacted {
    /// A description with the expiration date, but never the token.
    public var description: String { "IssuedToken(expires \(ServiceDate.text(expires)))" }
}

struct TokenOutput: Readable {
    let accessToken: String
    let expiresIn: Double

    init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        accessToken = try fields.required("access_token").parsed("it is empty") { $0.isEmpty ? nil : $0.string }
        // If the lifetime is missing or can't be read, two minutes are assumed, because the documentation only
        // specifies "a few minutes".
        expiresIn = (try? fields.double("expires_in")) ?? 120
    }
}

extension TokenCache<IssuedToken> {
    /// Returns the current token, or fetches the next token if the current one expires soon or was rejected.
    func token(
        _ clock: Timekeeper, replacing rejected: String? = nil, _ fetch: () -> Promise<IssuedToken>
    ) -> Promise<IssuedToken> {
        let now = clock.now()
        return token(clock, if: { token, _ in token.value != rejected && token.renewal > now }) { _ in fetch() }
    }
}
