import Dispatch
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
    public func serviceToken() -> Promise<IssuedToken> { serviceTokens.service() }

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
            return Promise(error: MyDataHelpsError.encodingError(FailureReason.unusableIdentifier))
        }
        return serviceTokens.participant(participantID, scopes, clientID)
    }

    /// Returns a source of tokens for a participant, for a server that calls the service itself. Each token is used
    /// until shortly before it expires.
    public func tokens(for participantID: ParticipantInfo.ID, scopes: [String] = ["api"]) -> any TokenSource {
        let current = SharedRenewal<IssuedToken>()
        let clock = client.clock
        return FetchedTokens { rejected in
            current.token(clock, replacing: rejected) { self.participantToken(for: participantID, scopes: scopes) }
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
    /// before the token expires if that is earlier. Half of the lifetime is always used.
    public var renewal: Date { expires.addingTimeInterval(-max(lifetime / 5, min(60, lifetime / 2))) }

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
        expiresIn = fields.double("expires_in") ?? 120
    }
}

/// The requests with which a service account gets tokens, and the account's own token.
struct ServiceTokens: Sendable {
    let account: String
    let url: URL
    let client: MyDataHelpsClient
    let makeID: @Sendable () -> UUID
    let sign: ServiceAccount.Signer
    let cached: SharedRenewal<IssuedToken>

    static let path = "identityserver/connect/token"
    /// The time for which signed claims are valid, in seconds.
    private static let validity = 200

    /// Returns the account's own token.
    func service(replacing rejected: String? = nil) -> Promise<IssuedToken> {
        cached.token(client.clock, replacing: rejected) { newServiceToken() }
    }

    /// - Parameter isRepeated: Whether this request takes the place of one whose claims had expired.
    private func newServiceToken(isRepeated: Bool = false) -> Promise<IssuedToken> {
        let expires = Int(client.clock.now().timeIntervalSince1970) + Self.validity
        let end = Date(timeIntervalSince1970: TimeInterval(expires))
        let claims: [String: JSONValue] = [
            "iss": .string(account), "sub": .string(account), "aud": .string(url.absoluteString),
            // The expiration is in seconds since 1970. One table of the vendor's documentation says otherwise.
            "exp": .integer(expires), "jti": .string(makeID().uuidString.lowercased()),
        ]
        let signed: Promise<String> = DispatchQueue.global().async(.promise) {
            let parts = [try JSONEncoder.text(["alg": "RS256", "typ": "JWT"]), try JSONEncoder.text(claims)]
            let text = parts.map { Self.base64URL(Data($0.utf8)) }.joined(separator: ".")
            return "\(text).\(Self.base64URL(try sign(Data(text.utf8))))"
        }
        return signed.mapError(on: nil) { MyDataHelpsError.encodingError($0) }
            .then(on: nil) { text -> Promise<IssuedToken> in
                request([
                    "scope": "api",
                    "grant_type": "client_credentials",
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    "client_assertion": text,
                ])
            }.recover(on: nil) { error -> Promise<IssuedToken> in
                // The request may have waited for a limit for so long that its claims expired.
                guard !isRepeated, refuses(error, whatExpiredAt: end) else { throw error }
                return newServiceToken(isRepeated: true)
            }
    }

    /// Returns whether the service refused a request, and what the request contained had expired by then.
    private func refuses(_ error: any Error, whatExpiredAt date: Date) -> Bool {
        [400, 401].contains(error.failureStatus) && date <= client.clock.now()
    }

    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// Returns a new token for a participant.
    func participant(_ id: ParticipantInfo.ID, _ scopes: [String], _ clientID: String) -> Promise<IssuedToken> {
        @Sendable func ask(_ service: IssuedToken) -> Promise<IssuedToken> {
            request([
                "scope": scopes.joined(separator: " "),
                "grant_type": "delegated_participant",
                "participant_id": id.value,
                "client_id": clientID,
                "client_secret": "secret",
                "token": service.value,
            ])
        }
        return service().then(on: nil) { service in
            ask(service).recover(on: nil) { error -> Promise<IssuedToken> in
                // The request may have waited for a limit for so long that the account's own token expired.
                guard refuses(error, whatExpiredAt: service.expires) else { throw error }
                return self.service(replacing: service.value).then(on: nil, ask)
            }
        }
    }

    private func request(_ form: QueryItems) -> Promise<IssuedToken> {
        // The token's lifetime starts at the time of the request.
        let asked = client.clock.now()
        let endpoint = Endpoint<TokenOutput>(.post, Self.path, body: .form(form), isRepeatable: false)
        return client.endpointClient(.none).send(endpoint).map(on: nil) { decoded in
            IssuedToken(decoded.value, asked: asked)
        }.mapError(on: nil) { MyDataHelpsError($0) }
    }
}

extension SharedRenewal<IssuedToken> {
    /// Returns the current token, or fetches the next token if the current one expires soon or was rejected.
    func token(
        _ clock: Timekeeper, replacing rejected: String? = nil, _ fetch: () -> Promise<IssuedToken>
    ) -> Promise<IssuedToken> {
        let now = clock.now()
        return value(clock, if: { token, _ in token.value != rejected && token.renewal > now }) { _ in fetch() }
    }
}
