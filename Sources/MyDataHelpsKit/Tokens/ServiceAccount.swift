import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// For servers: a service account of MyDataHelps, which gets tokens for participants. Never for an app, since it needs
/// the account's private key.
///
/// ```swift
/// let account = ServiceAccount(name: "MyDataHelps.1234.name") { bytes in try key.rs256(bytes) }
/// account.participantToken(for: id, scopes: ["Participant:read"]).done { token in
///     respond(token.value, expiresIn: token.lifetime)
/// }
/// ```
public final class ServiceAccount: Sendable {
    /// Signs bytes with the account's key: RSA with SHA-256 (PKCS #1 v1.5), which JWT calls RS256. Runs off the main
    /// thread and may take its time.
    public typealias Signer = @Sendable (_ bytes: Data) throws -> Data

    /// What the account is called.
    public let name: String
    /// Where tokens come from; the signed claims are addressed to it as well.
    public let tokenURL: URL
    private let client: MyDataHelpsClient
    private let sign: Signer
    private let makeID: @Sendable () -> UUID
    private let cached: TokenCache

    /// Seconds for which signed claims are valid.
    private static let validity = 200
    private static let path = "identityserver/connect/token"

    /// Makes a service account that signs with your key.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - client: how MyDataHelps is reached; give it the host that your account belongs to.
    ///   - makeID: gives every set of claims an id of its own.
    ///   - sign: signs with the account's private key.
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
        cached = TokenCache(clock: client.clock)
    }

    /// A token of the account itself, for the administration API; the one at hand until shortly before it runs out.
    ///
    /// - Rejects: with ``MyDataHelpsError``; with ``MyDataHelpsError/encodingError(_:)`` for what the signer throws.
    /// - Queue: handlers run where they ask to; the signer runs on a global queue.
    /// - Cancellation: stops waiting; a request under way continues for others who wait.
    public func serviceToken() -> Promise<IssuedToken> {
        cached.token { self.newServiceToken() }
    }

    /// A token for a participant, to be handed to their app.
    ///
    /// - Parameters:
    ///   - participantID: the id internal to MyDataHelps; see ``participantID(of:in:)``.
    ///   - scopes: what the app may do, such as `Participant:read`.
    ///   - clientID: what the service takes the app for.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func participantToken(
        for participantID: ParticipantInfo.ID, scopes: [String] = ["api"],
        clientID: String = "MyDataHelps.DelegatedParticipant"
    ) -> Promise<IssuedToken> {
        serviceToken().then(on: nil) { service -> Promise<IssuedToken> in
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

    /// The internal id of the participant who has this name in the project. Wraps
    /// `GET api/v1/administration/projects/<project>/participants/<identifier>`.
    ///
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func participantID(of participantIdentifier: String, in project: Project.ID) -> Promise<ParticipantInfo.ID> {
        let (project, participant) = (
            EmbeddableSurvey.escape(project.value), EmbeddableSurvey.escape(participantIdentifier)
        )
        let endpoint = Endpoint<AdministeredParticipant>(
            .get, "api/v1/administration/projects/\(project)/participants/\(participant)")
        return serviceToken().then(on: nil) { service in
            self.client.endpointClient(.bearer(service.value)).send(endpoint)
        }.map(on: nil) { $0.value.id }.mapError(on: .pledge) { MyDataHelpsError($0) }
    }

    /// A supply of tokens for a participant, each used until shortly before it runs out: for a server that makes the
    /// calls itself.
    ///
    /// - Parameters:
    ///   - participantID: the id internal to MyDataHelps.
    ///   - scopes: what the tokens may do.
    public func tokens(for participantID: ParticipantInfo.ID, scopes: [String] = ["api"]) -> any TokenSource {
        IssuedTokens(cache: TokenCache(clock: client.clock)) {
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
        // The token's time runs from when it was asked for.
        let asked = client.clock.now()
        let endpoint = Endpoint<TokenReply>(.post, Self.path, body: .form(form), isRepeatable: false)
        return client.endpointClient(.none).send(endpoint).map(on: nil) { answer in
            IssuedToken(answer.value, asked: asked)
        }.mapError(on: nil) { MyDataHelpsError($0) }
    }
}

extension ServiceAccount: Discreet {
    /// The account and where its tokens come from.
    public var description: String { "ServiceAccount(\(name), \(tokenURL.redacted))" }
}

/// A participant as the administration API has them.
private struct AdministeredParticipant: Decodable, Sendable {
    var id: ParticipantInfo.ID
}
