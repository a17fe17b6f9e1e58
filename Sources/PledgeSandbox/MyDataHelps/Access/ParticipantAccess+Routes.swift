extension ParticipantAccess {
    /// Returns a route for participants' tokens with one of the scopes; others get a 403. Every response, including an
    /// error, contains the number of remaining requests.
    func participants(
        _ pattern: String, scopes: Set<String> = [],
        _ respond: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(pattern) { [self] request in
            let limit = tokens.limit ?? 0
            guard let text = request.bearer, let token = tokens[text], token.person != nil else {
                return Self.denied.announcing(limit, left: limit, reset: 3_600)
            }
            let use = tokens.use(text)
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

    /// Returns a route of the project for service accounts' own tokens, which have no rate limit.
    func serviceAccounts(
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

    /// Returns whether a token is valid, and a service account's.
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
