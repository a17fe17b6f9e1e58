import Foundation

/// The routes that issue tokens: to a service account for its signature, and to a service account for a participant.
struct ParticipantTokenRoutes: RouteGroup {
    private static let path = "/identityserver/connect/token"
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let clients: Set<String> = [
        "MyDataHelps.DelegatedParticipant", "RKStudio.DelegatedParticipant", "MyDataHelps-Web.DelegatedParticipant",
    ]

    let access: ParticipantAccess
    let now: @Sendable () -> Date
    let account: String
    let participantID: String
    let checkSignature: MyDataHelpsSandbox.SignatureCheck?
    let usedIDs = Locked<Set<String>>([])

    var routes: [AuthorizedRoute] {
        [
            AuthorizedRoute("POST \(Self.path)", for: .anyone) { try giveToken($0) },
            AuthorizedRoute(
                "GET /api/v1/administration/projects/{project}/participants/{participant}", for: access.serviceAccounts
            ) { try findParticipant($0) },
        ]
    }

    private func giveToken(_ request: SandboxRequest) throws -> SandboxResponse {
        switch request.formValue("grant_type") {
        case "client_credentials": try serviceToken(request)
        case "delegated_participant": try participantToken(request)
        default: throw Self.fault("unsupported_grant_type", "The grant_type is not known.")
        }
    }

    private func serviceToken(_ request: SandboxRequest) throws -> SandboxResponse {
        guard request.formValue("scope") == "api" else { throw Self.fault("invalid_scope", "The scope must be api.") }
        guard request.formValue("client_assertion_type") == Self.assertionType,
            let assertion = ServiceAssertion(request.formValue("client_assertion") ?? "")
        else { throw Self.fault("invalid_client", "The client_assertion is no signed JWT.") }
        let address = "http://\(request.headers["Host"] ?? "")\(Self.path)"
        if let problem = assertion.fault(account: account, audience: [address], now: now()) {
            throw Self.fault("invalid_client", "In the client_assertion, \(problem).")
        }
        guard checkSignature?(assertion.signed, assertion.signature) ?? true else {
            throw Self.fault("invalid_client", "The signature is wrong.")
        }
        guard usedIDs.withLock({ $0.insert(assertion.claims["jti"]?.string ?? "").inserted }) else {
            throw Self.fault("invalid_client", "This client_assertion was used before.")
        }
        return Self.token(access.issue(.service, lifetime: 300), lifetime: 300)
    }

    private func participantToken(_ request: SandboxRequest) throws -> SandboxResponse {
        guard Self.clients.contains(request.formValue("client_id") ?? ""),
            request.formValue("client_secret") == "secret"
        else { throw Self.fault("invalid_client", "The client_id or client_secret is wrong.") }
        guard access.isValid(request.formValue("token"), .service) else {
            throw Self.fault("invalid_grant", "The service token is not valid, or no longer.")
        }
        guard request.formValue("participant_id")?.lowercased() == participantID.lowercased() else {
            throw Self.fault("invalid_grant", "There is no such participant.")
        }
        guard request.formValue("scope")?.isEmpty == false else { throw Self.fault("invalid_scope", "No scope.") }
        return Self.token(access.issue(.participant, lifetime: 21_600), lifetime: 21_600)
    }

    private func findParticipant(_ request: SandboxRequest) throws -> SandboxResponse {
        guard request.parameters["project"]?.lowercased() == ProfileRoutes.projectID,
            request.parameters["participant"] == ProfileRoutes.participantIdentifier
        else { return .message("There is no such participant.", status: 404) }
        return .json([
            "id": .string(participantID), "enrolled": true,
            "participantIdentifier": .string(ProfileRoutes.participantIdentifier),
            "demographics": .object(ProfileRoutes.demographics), "customFields": ["ARM": "B"],
        ])
    }

    private static func token(_ token: String, lifetime: Int) -> SandboxResponse {
        .json(["access_token": .string(token), "expires_in": .integer(lifetime), "token_type": "Bearer"])
    }

    private static func fault(_ code: String, _ description: String) -> SandboxResponse {
        .json(["error": .string(code), "error_description": .string(description)], status: 400)
    }
}
