import Foundation

/// The people in the project, and the tokens of the project's participants and service accounts.
final class ParticipantAccess: Sendable {
    struct Token: Sendable {
        let scopes: Set<String>
        /// The number of the participant that the token belongs to; nil if it belongs to a service account.
        let person: Int?
    }

    let tokens: ExpiringTable<Token>
    let hourlyLimit: HourlyLimit
    private let key: String
    private let state = Protected((people: (0..<ProjectPerson.count).map { ProjectPerson($0) }, issued: 0))

    init(now: @escaping @Sendable () -> Date, key: String) {
        self.key = key
        tokens = ExpiringTable(now: now)
        hourlyLimit = HourlyLimit(500, now: now)
    }

    /// Adds a participant's token.
    ///
    /// - Parameter participant: The participant identifier. If it is nil or unknown, a new person is added to the
    ///   project.
    func add(_ token: String, of participant: String?, scopes: Set<String>, lifetime: TimeInterval?) {
        let person = state.withLock { state in
            if let known = state.people.firstIndex(where: { $0.identifier == participant }) { return known }
            state.people.append(ProjectPerson(state.people.count, identifier: participant))
            return state.people.count - 1
        }
        tokens.add(token, Token(scopes: scopes, person: person), lifetime: lifetime)
    }

    /// All people in the project, in the order of their enrollment.
    var people: [ProjectPerson] { state.withLock(\.people) }

    func person(_ token: String?) -> ProjectPerson { people[token.flatMap { tokens[$0] }?.person ?? 0] }

    /// Returns the text of a new token. It is different on each call, but the same on every run with the same key.
    func newToken(_ kind: String) -> String {
        let number = state.withLock { state in
            state.issued += 1
            return state.issued
        }
        return "eyJhbGciOiJSUzI1NiJ9.\(kind).\(number)\(key)"
    }
}

extension ServerRequest {
    var bearer: String? {
        let words = (headers["Authorization"] ?? "").split(separator: " ").map(String.init)
        return words.count == 2 && words[0] == "Bearer" ? words[1] : nil
    }
}

extension ParticipantAccess {
    /// Returns a route for requests with a participant's token that has one of the scopes. Requests whose token lacks
    /// the scope get a 403. Every response, even an error, has the number of requests that are left.
    func participantRoute(
        _ pattern: String, scopes: Set<String> = [],
        _ respond: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(pattern) { [self] request in
            let limit = hourlyLimit.limit ?? 0
            guard let text = request.bearer, let token = tokens[text], token.person != nil else {
                return Self.denied.announcing(limit, left: limit, reset: 3_600)
            }
            let use = hourlyLimit.use(text)
            let sufficient = scopes.union([ParticipantScope.everything])
            var response = ServerResponse.message("API calls quota exceeded", status: 429)
            if use.isAllowed, token.scopes.isDisjoint(with: sufficient) {
                let names = sufficient.sorted().joined(separator: " or ")
                response = .message("The token lacks the scope of this call: \(names).", status: 403)
            } else if use.isAllowed {
                do { response = try respond(request) } catch let thrown as ServerResponse { response = thrown }
            }
            return response.announcing(limit, left: use.left, reset: use.reset)
        }
    }

    /// Returns a route of the project for requests with a service account's own token. These tokens have no rate limit.
    func serviceRoute(
        _ path: String, version: Int = 1, _ respond: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute("GET /api/v\(version)/administration/projects/{project}/\(path)") { [self] request in
            guard isService(request.bearer) else { return Self.denied }
            guard request.parameters["project"]?.lowercased() == ParticipantBackend.projectID else {
                return .message("There is no such project.", status: 404)
            }
            return try respond(request)
        }
    }

    /// Returns whether a token is valid and belongs to a service account.
    func isService(_ token: String?) -> Bool { token.flatMap { tokens[$0] }.map { $0.person == nil } ?? false }

    private static let denied = ServerResponse.message("Authorization has been denied for this request.", status: 401)
}

extension ServerResponse {
    static func message(_ text: String, status: Int) -> ServerResponse {
        .json(["message": .string(text)], status: status)
    }

    fileprivate func announcing(_ limit: Int, left: Int, reset: Int) -> ServerResponse {
        var response = self
        response.headers["RateLimit-Limit"] = String(limit)
        response.headers["RateLimit-Remaining"] = String(left)
        response.headers["RateLimit-Reset"] = String(reset)
        return response
    }
}

/// The scopes that a participant's token can have. MyDataHelps publishes no list of its scopes. These are the scopes
/// that its starter kit and public programs use.
enum ParticipantScope {
    static let participant = "Participant:read"
    static let project = "Project:read"
    static let settings = "DataCollectionSettings:read"
    static let tasks = "SurveyTasks:read"
    static let answers = "SurveyAnswers:read"
    static let notifications = "Notifications:read"
    static let accounts = "ExternalAccounts:read"
    static let connecting = "ExternalAccounts:connect"
    /// The scope that permits every call. A call whose own scope is unknown needs this scope.
    static let everything = "api"
    /// The scope that permits reading health records. The sandbox does not simulate health records.
    static let records = "user/*.read"

    static let all: Set = [
        participant, project, settings, tasks, answers, notifications, accounts, connecting, everything, records,
    ]
}

/// The signed JSON Web Token with which a service account proves its identity.
struct ServiceAssertion {
    let header: [String: ServerJSON]
    let claims: [String: ServerJSON]
    let signed: Data
    let signature: Data

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Self.bytes(parts[2]), !signature.isEmpty
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Data("\(parts[0]).\(parts[1])".utf8)
    }

    /// Returns a text that says what is wrong with the assertion; nil if it is valid. The signature is checked
    /// elsewhere.
    func fault(account: String, audience: Set<String>, now: Date) -> String? {
        guard header["alg"]?.string == "RS256" else { return "the header's alg must be RS256" }
        guard (header["typ"]?.string ?? "JWT").uppercased() == "JWT" else { return "the header's typ must be JWT" }
        guard claims["iss"]?.string == account, claims["sub"]?.string == account else {
            return "iss and sub must be the name of the service account"
        }
        let addresses = claims["aud"]?.array ?? [claims["aud"] ?? .null]
        guard addresses.contains(where: { audience.contains($0.string ?? "") }) else {
            return "aud must be the address of this endpoint"
        }
        guard let expires = claims["exp"]?.double else { return "exp must be a number of seconds since 1970" }
        let now = now.timeIntervalSince1970
        guard expires > now else { return "exp is in the past" }
        guard expires <= now + 3_600 else { return "exp is more than an hour ahead: is it in milliseconds?" }
        guard claims["nbf"]?.double ?? now <= now else { return "nbf is in the future" }
        guard claims["jti"]?.string?.isEmpty == false else { return "jti must be a text that is used once" }
        return nil
    }

    private static func object(_ text: String) -> [String: ServerJSON]? {
        bytes(text).flatMap { ServerJSON($0)?.object }
    }

    /// Decodes base64url, which has `-` and `_` in place of `+` and `/`. Returns nil for `+`, `/`, and padding, which
    /// the standard for JSON Web Tokens does not allow.
    private static func bytes(_ text: String) -> Data? {
        guard text.utf8.allSatisfy({ !"+/=".utf8.contains($0) }) else { return nil }
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }
}

/// The routes that issue tokens. A service account gets its own token for a signed assertion. With that token, it can
/// request tokens of participants.
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
        else { throw ServerResponse.oauthError("invalid_client", "The client_assertion isn't a signed JWT.") }
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
