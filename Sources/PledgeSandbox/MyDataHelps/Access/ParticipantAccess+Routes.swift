extension ParticipantAccess {
    /// Admits participants' tokens; every response, including errors, has the number of remaining requests.
    var participants: RouteAuthorization<Void> {
        RouteAuthorization { [self] request, respond in
            guard let token = request.bearer, isValid(token, .participant) else {
                return Self.denied.announcing(fullAllowance)
            }
            let (isAllowed, allowance) = use(token)
            guard isAllowed else {
                return SandboxResponse.message("API calls quota exceeded", status: 429).announcing(allowance)
            }
            do {
                return try respond(()).announcing(allowance)
            } catch let response as SandboxResponse {
                return response.announcing(allowance)
            }
        }
    }

    /// Admits service accounts' own tokens, which have no rate limit.
    var serviceAccounts: RouteAuthorization<Void> {
        RouteAuthorization { [self] request, respond in
            guard isValid(request.bearer, .service) else { throw Self.denied }
            return try respond(())
        }
    }

    private static let denied = SandboxResponse.message("Authorization has been denied for this request.", status: 401)
}

extension SandboxResponse {
    /// Returns an error response with the service's message.
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
