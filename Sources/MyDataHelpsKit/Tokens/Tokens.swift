import Pledge
import PledgeHTTP

extension ServiceAccount {
    /// Returns a token of the account itself, for the administration API, cached until shortly before it expires.
    /// Errors of the signer, which runs on a global queue, are ``MyDataHelpsError/encodingError(_:)``. Cancellation
    /// stops waiting, while a request in progress continues for other callers.
    public func serviceToken() -> Promise<IssuedToken> { cached.token(client.clock) { self.newServiceToken() } }

    /// Returns a new token for a participant, to be passed to their app.
    ///
    /// - Parameters:
    ///   - participantID: The participant's identifier internal to MyDataHelps; see ``participantID(of:in:)``.
    ///   - scopes: The permissions of the app, such as `Participant:read`.
    ///   - clientID: The client identifier that the service associates with the app.
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

    /// Returns the internal identifier of the participant with this identifier in the project.
    /// Wraps `GET api/v1/administration/projects/<project>/participants/<identifier>`.
    ///
    /// Rejects with ``MyDataHelpsError/encodingError(_:)`` for an empty identifier, or "." or "..", which would lead to
    /// another resource.
    public func participantID(of participantIdentifier: String, in project: Project.ID) -> Promise<ParticipantInfo.ID> {
        firstly {
            let project = try PathSegments.joined([project.value])
            let participant = try PathSegments.joined([participantIdentifier])
            let path = "api/v1/administration/projects/\(project)/participants/\(participant)"
            return serviceToken().then(on: nil) { service in
                self.client.endpointClient(.bearer(service.value))
                    .value(of: Endpoint<AdministeredParticipant>(.get, path))
            }
        }.map(on: nil) { $0.id }.mapError(on: .pledge) { MyDataHelpsError($0) }
    }

    /// Returns a source of tokens for a participant, each used until shortly before it expires, for a server that makes
    /// the calls itself.
    public func tokens(for participantID: ParticipantInfo.ID, scopes: [String] = ["api"]) -> any TokenSource {
        let (cache, clock) = (TokenCache<IssuedToken>(), client.clock)
        return FetchedTokens { rejected in
            cache.token(clock, replacing: rejected) { self.participantToken(for: participantID, scopes: scopes) }
                .map(on: nil, \.value)
        }
    }
}

private struct AdministeredParticipant: Decodable, Sendable {
    var id: ParticipantInfo.ID
}
