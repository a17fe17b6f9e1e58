extension ExistBackend {
    /// Returns a route for any valid token. Others get a 401, and those over the hourly limit a 429.
    func readers(
        _ pattern: String, _ respond: @escaping @Sendable (ServerRequest, ExistToken) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(pattern) { try respond($0, token(of: $0)) }
    }

    /// Returns a route for any valid OAuth2 token; a simple token, which is read-only, gets a 403.
    func writers(
        _ pattern: String, _ respond: @escaping @Sendable (ServerRequest, ExistToken) throws -> ServerResponse
    ) -> ServerRoute {
        readers(pattern) { request, token in
            guard token.kind == .oauth else {
                throw ServerResponse.detail("You do not have permission to perform this action.", status: 403)
            }
            return try respond(request, token)
        }
    }

    private func token(of request: ServerRequest) throws -> ExistToken {
        guard let credential = request.headers["Authorization"] else {
            throw ServerResponse.detail("Authentication credentials were not provided.", status: 401)
        }
        let words = credential.split(separator: " ").map(String.init)
        guard words.count == 2, let token = tokens[words[1]], token.kind.scheme == words[0] else {
            throw ServerResponse.detail("Invalid token.", status: 401)
        }
        // The service sends neither a body nor Retry-After with a 429.
        guard tokens.use(words[1]).isAllowed else { throw ServerResponse.empty(429) }
        return token
    }
}

extension ServerResponse {
    static func detail(_ text: String, status: Int) -> ServerResponse {
        .json(["detail": .string(text)], status: status)
    }
}
