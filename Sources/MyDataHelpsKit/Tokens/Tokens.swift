import Pledge
import PledgeHTTP

extension ServiceAccount {
    /// Returns a token of the account itself, for the administration API, cached until shortly before it expires.
    /// `POST identityserver/connect/token`. Errors of the signer, which runs on a global queue, are
    /// ``MyDataHelpsError/encodingError(_:)``. Cancellation stops waiting, while a request in progress continues for other
    /// callers.
    public func serviceToken() -> Promise<IssuedToken> { serviceToken(replacing: nil) }

    /// Returns a new token for a participant, to be passed to their app. `POST identityserver/connect/token`
    ///
    /// - Parameters:
    ///   - participantID: The participant's identifier internal to MyDataHelps; see ``participant(_:in:)``.
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
