extension ParticipantAccess {
    /// Returns a route for participants' tokens with one of the scopes; others get a 403. Every response, including an
    /// error, contains the number of remaining requests.
    func participants(
        _ pattern: String, scopes: Set<String> = [],
        _ respond: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(pattern) { [self] request in
            guard let text = request.bearer, let token = token(text, .participant) else {
                return Self.denied.announcing(fullAllowance)
            }
            let (isAllowed, allowance) = use(text)
            guard isAllowed else { return .message("API calls quota exceeded", status: 429).announcing(allowance) }
            guard !token.scopes.isDisjoint(with: scopes.union([ParticipantScope.everything])) else {
                return Self.lacking(scopes).announcing(allowance)
            }
            do {
                return try respond(request).announcing(allowance)
            } catch let response as ServerResponse {
                return response.announcing(allowance)
            }
        }
    }

    /// Returns a route for service accounts' own tokens, which have no rate limit.
    func serviceAccounts(
        _ pattern: String, _ respond: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(pattern) { [self] request in
            guard token(request.bearer, .service) != nil else { return Self.denied }
            return try respond(request)
        }
    }

    private static func lacking(_ scopes: Set<String>) -> ServerResponse {
        let names = (scopes.sorted() + [ParticipantScope.everything]).joined(separator: " or ")
        return .message("The token lacks the scope of this call: \(names).", status: 403)
    }

    private static let denied = ServerResponse.message("Authorization has been denied for this request.", status: 401)
}

extension ServerResponse {
    static func message(_ text: String, status: Int) -> ServerResponse {
        .json(["message": .string(text)], status: status)
    }

    fileprivate func announcing(_ allowance: ParticipantAccess.Allowance) -> ServerResponse {
        var response = self
        response.headers["RateLimit-Limit"] = String(allowance.limit)
        response.headers["RateLimit-Remaining"] = String(allowance.remaining)
        response.headers["RateLimit-Reset"] = String(allowance.reset)
        return response
    }
}
