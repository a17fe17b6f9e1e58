import Foundation

/// Tokens for a service account by its signature, and for a participant by a service account.
extension ParticipantBackend {
    static let tokenPath = "/identityserver/connect/token"
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let clients: Set<String> = [
        "MyDataHelps.DelegatedParticipant", "RKStudio.DelegatedParticipant", "MyDataHelps-Web.DelegatedParticipant",
    ]

    func giveToken(_ request: ServerRequest) throws -> ServerResponse {
        switch request.formValue("grant_type") {
        case "client_credentials": try serviceToken(request)
        case "delegated_participant": try participantToken(request)
        default: throw ServerResponse.oauthError("unsupported_grant_type", "The grant_type is not known.")
        }
    }

    private func serviceToken(_ request: ServerRequest) throws -> ServerResponse {
        guard request.formValue("scope") == "api" else {
            throw ServerResponse.oauthError("invalid_scope", "The scope must be api.")
        }
        guard request.formValue("client_assertion_type") == Self.assertionType,
            let assertion = ServiceAssertion(request.formValue("client_assertion") ?? "")
        else { throw ServerResponse.oauthError("invalid_client", "The client_assertion is no signed JWT.") }
        let address = "http://\(request.headers["Host"] ?? "")\(Self.tokenPath)"
        if let problem = assertion.fault(account: serviceAccount, audience: [address], now: now()) {
            throw ServerResponse.oauthError("invalid_client", "In the client_assertion, \(problem).")
        }
        guard checkSignature?(assertion.signed, assertion.signature) ?? true else {
            throw ServerResponse.oauthError("invalid_client", "The signature is wrong.")
        }
        guard usedIDs.withLock({ $0.insert(assertion.claims["jti"]?.string ?? "").inserted }) else {
            throw ServerResponse.oauthError("invalid_client", "This client_assertion was used before.")
        }
        let token = access.newToken("service")
        access.tokens.add(token, .init(scopes: [], person: nil), lifetime: 300)
        return Self.token(token, lifetime: 300)
    }

    private func participantToken(_ request: ServerRequest) throws -> ServerResponse {
        guard Self.clients.contains(request.formValue("client_id") ?? ""),
            request.formValue("client_secret") == "secret"
        else { throw ServerResponse.oauthError("invalid_client", "The client_id or client_secret is wrong.") }
        guard access.isService(request.formValue("token")) else {
            throw ServerResponse.oauthError("invalid_grant", "The service token is not valid, or no longer.")
        }
        let id = request.formValue("participant_id")?.lowercased()
        guard let person = access.people.first(where: { $0.id.lowercased() == id }) else {
            throw ServerResponse.oauthError("invalid_grant", "There is no such participant.")
        }
        let scopes = Set((request.formValue("scope") ?? "").split(separator: " ").map(String.init))
        guard !scopes.isEmpty else { throw ServerResponse.oauthError("invalid_scope", "There is no scope.") }
        let unknown = scopes.subtracting(ParticipantScope.all).sorted()
        guard unknown.isEmpty else {
            throw ServerResponse.oauthError("invalid_scope", "Unknown: \(unknown.joined(separator: " ")).")
        }
        let token = access.newToken("participant")
        access.add(token, of: person.identifier, scopes: scopes, lifetime: 21_600)
        return Self.token(token, lifetime: 21_600)
    }

    private static func token(_ token: String, lifetime: Int) -> ServerResponse {
        .token(["access_token": .string(token), "expires_in": .integer(lifetime), "token_type": "Bearer"])
    }
}
