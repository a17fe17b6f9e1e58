import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// A MyDataHelps service account, with which a server gets tokens for participants. Never use it in an app: it
/// requires the account's private key.
///
/// ```swift
/// let account = ServiceAccount(name: "MyDataHelps.1234.name") { bytes in try key.rs256(bytes) }
/// account.participantToken(for: id, scopes: ["Participant:read"]).done { token in
///     respond(token.value, expiresIn: token.lifetime)
/// }
/// ```
public final class ServiceAccount: Sendable {
    /// Signs bytes with the account's key: RSA with SHA-256 (PKCS #1 v1.5), called RS256 in JWT. It is called off the
    /// main thread and may block.
    public typealias Signer = @Sendable (_ bytes: Data) throws -> Data

    /// The name of the service account.
    public let name: String
    /// The URL of the token endpoint, which is also the audience of the signed claims.
    public let tokenURL: URL
    private let client: MyDataHelpsClient
    private let sign: Signer
    private let makeID: @Sendable () -> UUID
    private let cached = TokenCache<IssuedToken>()

    /// The validity of signed claims, in seconds.
    private static let validity = 200
    private static let path = "identityserver/connect/token"

    /// Creates a service account that signs with your key.
    ///
    /// - Parameters:
    ///   - name: The name of the account.
    ///   - client: The client used to connect to MyDataHelps; it must use the host that your account belongs to.
    ///   - makeID: Returns a unique identifier for each set of claims.
    ///   - sign: Signs with the account's private key.
    public init(
        name: String, client: MyDataHelpsClient = MyDataHelpsClient(),
        makeID: @escaping @Sendable () -> UUID = { UUID() },
        sign: @escaping Signer
    ) {
        self.name = name
        self.client = client
        self.sign = sign
        self.makeID = makeID
        tokenURL = client.baseURL.appendingPathComponent(Self.path)
    }

    /// Returns a token of the account itself, for the administration API, cached until shortly before it expires.
    ///
    /// - Rejects: With ``MyDataHelpsError``; with ``MyDataHelpsError/encodingError(_:)`` for errors the signer throws.
    /// - Queue: Handlers run on the queue they specify; the signer runs on a global queue.
    /// - Cancellation: Stops waiting; a request in progress continues for other callers.
    public func serviceToken() -> Promise<IssuedToken> {
        cached.token(client.clock) { self.newServiceToken() }
    }

    /// Returns a new token for a participant, to be passed to their app.
    ///
    /// - Parameters:
    ///   - participantID: The participant's identifier internal to MyDataHelps; see ``participantID(of:in:)``.
    ///   - scopes: The permissions of the app, such as `Participant:read`.
    ///   - clientID: The client identifier that the service associates with the app.
    /// - Rejects: With ``MyDataHelpsError``.
    /// - Queue: Handlers run on the queue they specify.
    /// - Cancellation: Cancels the request in progress.
    public func participantToken(
        for participantID: ParticipantInfo.ID, scopes: [String] = ["api"],
        clientID: String = "MyDataHelps.DelegatedParticipant"
    ) -> Promise<IssuedToken> {
        guard !participantID.value.isEmpty else {
            return Promise(error: MyDataHelpsError.encodingError(NoSuchLink()))
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

    /// Returns the internal identifier of the participant with this identifier in the project. Wraps `GET
    /// api/v1/administration/projects/<project>/participants/<identifier>`.
    ///
    /// - Rejects: With ``MyDataHelpsError``; with ``MyDataHelpsError/encodingError(_:)`` if an identifier is empty, ".",
    ///   or "..", which would lead to another resource.
    /// - Queue: Handlers run on the queue they specify.
    /// - Cancellation: Cancels the request in progress.
    public func participantID(of participantIdentifier: String, in project: Project.ID) -> Promise<ParticipantInfo.ID> {
        let endpoint: Endpoint<AdministeredParticipant>
        do {
            let project = try EmbeddableSurvey.path([project.value])
            let participant = try EmbeddableSurvey.path([participantIdentifier])
            endpoint = Endpoint(.get, "api/v1/administration/projects/\(project)/participants/\(participant)")
        } catch {
            return Promise(error: error)
        }
        return serviceToken().then(on: nil) { service in
            self.client.endpointClient(.bearer(service.value)).send(endpoint)
        }.map(on: nil) { $0.value.id }.mapError(on: .pledge) { MyDataHelpsError($0) }
    }

    /// Returns a source of tokens for a participant, each used until shortly before it expires, for a server that
    /// makes the calls itself.
    ///
    /// - Parameters:
    ///   - participantID: The participant's identifier internal to MyDataHelps.
    ///   - scopes: The permissions of the tokens.
    public func tokens(for participantID: ParticipantInfo.ID, scopes: [String] = ["api"]) -> any TokenSource {
        IssuedTokens(clock: client.clock) {
            self.participantToken(for: participantID, scopes: scopes)
        }
    }

    private func newServiceToken() -> Promise<IssuedToken> {
        let expires = Int(client.clock.now().timeIntervalSince1970) + Self.validity
        let assertion = JWTAssertion(account: name, audience: tokenURL, expires: expires, id: makeID())
        let sign = sign
        let signed: Promise<String> = DispatchQueue.global().async(.promise) { try assertion.text(signedBy: sign) }
        return signed.mapError(on: nil) { MyDataHelpsError.encodingError($0) }
            .then(on: nil) { text -> Promise<IssuedToken> in
                self.request([
                    "scope": "api",
                    "grant_type": "client_credentials",
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    "client_assertion": text,
                ])
            }
    }

    private func request(_ form: QueryItems) -> Promise<IssuedToken> {
        // The token's lifetime starts at the time of the request.
        let asked = client.clock.now()
        let endpoint = Endpoint<TokenReply>(.post, Self.path, body: .form(form), isRepeatable: false)
        return client.endpointClient(.none).send(endpoint).map(on: nil) { answer in
            IssuedToken(answer.value, asked: asked)
        }.mapError(on: nil) { MyDataHelpsError($0) }
    }
}

extension ServiceAccount: Redacted {
    /// A description with the account and the token endpoint.
    public var description: String { "ServiceAccount(\(name), \(tokenURL.redacted))" }
}

/// A participant in the format of the administration API.
private struct AdministeredParticipant: Decodable, Sendable {
    var id: ParticipantInfo.ID
}
