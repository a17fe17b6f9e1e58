/// Makes routes that only a participant's token opens, and whose replies all say how many requests are left.
struct AuthorizedRoutes: Sendable {
    let access: ParticipantAccess

    /// A route; what it throws as a response is answered like any other.
    func route(
        _ pattern: String, respond: @escaping @Sendable (SandboxRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(pattern) { [access] request in
            guard let token = request.bearer, access.isValid(token, .participant) else {
                let refusal = SandboxResponse.message("Authorization has been denied for this request.", status: 401)
                return refusal.announcing(access.fullAllowance)
            }
            let (isAllowed, allowance) = access.use(token)
            guard isAllowed else {
                return SandboxResponse.message("API calls quota exceeded", status: 429).announcing(allowance)
            }
            do {
                return try respond(request).announcing(allowance)
            } catch let response as SandboxResponse {
                return response.announcing(allowance)
            }
        }
    }
}

extension SandboxResponse {
    /// What the service says when it does not do what was asked.
    static func message(_ text: String, status: Int) -> SandboxResponse {
        .json(["message": .string(text)], status: status)
    }

    fileprivate func announcing(_ allowance: ParticipantAccess.Allowance) -> SandboxResponse {
        var response = self
        response.headers["RateLimit-Limit"] = String(allowance.limit)
        response.headers["RateLimit-Remaining"] = String(allowance.remaining)
        response.headers["RateLimit-Reset"] = String(allowance.reset)
        return response
    }
}
