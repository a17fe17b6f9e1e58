import Foundation

extension ExistBackend {
    /// The routes of signing in. A page in the user's browser cannot use them by a name of its own for this machine.
    var tokenRoutes: [ServerRoute] {
        [
            ServerRoute("POST /api/2/auth/simple-token/", respond: giveSimpleToken),
            // The documentation contains both versions of this path.
            ServerRoute("POST /api/1/auth/simple-token/", respond: giveSimpleToken),
            ServerRoute("GET /oauth2/authorize") {
                try checkHost($0); return try askForConsent($0)
            },
            ServerRoute("POST /oauth2/access_token") {
                try checkHost($0); return try giveTokens($0)
            },
            ServerRoute("POST /oauth2/access_token/") {
                try checkHost($0); return try giveTokens($0)
            },
        ]
    }

    private func checkHost(_ request: ServerRequest) throws {
        guard isLocal, !request.namesLoopback else { return }
        throw ServerResponse.oauthError("invalid_request", "The sandbox has no such host.", status: 421)
    }

    func giveSimpleToken(_ request: ServerRequest) throws -> ServerResponse {
        let sent = request.json?.object ?? [:]
        func field(_ name: String) -> String? { request.formValue(name) ?? sent[name]?.string }
        var faults: ExistItem = [:]
        for name in ["username", "password"] where field(name) == nil { faults[name] = ["This field is required."] }
        guard faults.isEmpty else { throw ServerResponse.json(.object(faults), status: 400) }
        guard field("username") == username, field("password") == password else {
            throw ServerResponse.json(
                ["non_field_errors": ["Unable to log in with provided credentials."]], status: 400)
        }
        return .json(["token": .string(simpleToken)])
    }

    /// Simulates a user who consents immediately.
    func askForConsent(_ request: ServerRequest) throws -> ServerResponse {
        guard let redirectURI = request.queryValue("redirect_uri"), var target = URLComponents(string: redirectURI),
            target.mayReceiveCodes
        else {
            throw ServerResponse.oauthError(
                "invalid_request", "The redirect_uri is missing, or neither https, an app's, nor on this machine.")
        }
        let challenge = request.queryValue("code_challenge").map {
            CodeChallenge($0, method: request.queryValue("code_challenge_method"))
        }
        let scopes = Set((request.queryValue("scope") ?? "").split(separator: " ").map(String.init))
        let outcome: URLQueryItem
        if request.queryValue("client_id") != grants.clientID {
            outcome = URLQueryItem(name: "error", value: "unauthorized_client")
        } else if request.queryValue("response_type") != "code" {
            outcome = URLQueryItem(name: "error", value: "unsupported_response_type")
        } else if scopes.isEmpty || !scopes.isSubset(of: ExistSandbox.allScopes) {
            outcome = URLQueryItem(name: "error", value: "invalid_scope")
        } else if case .some(nil) = challenge {
            outcome = URLQueryItem(name: "error", value: "invalid_request")
        } else {
            let grant = ExistGrants.Grant(scopes: scopes, redirectURI: redirectURI, challenge: challenge ?? nil)
            outcome = URLQueryItem(name: "code", value: grants.makeCode(for: grant))
        }
        let state = request.queryItems.filter { $0.name == "state" }
        target.queryItems = (target.queryItems ?? []) + [outcome] + state
        // `URLComponents` does not encode a plus sign, which the recipient would decode as a space.
        target.percentEncodedQuery = target.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        return .empty(302, headers: ["Location": target.string ?? redirectURI])
    }

    func giveTokens(_ request: ServerRequest) throws -> ServerResponse {
        // A client identifies itself in the header, as most OAuth libraries do, or in the form.
        let form = [request.formValue("client_id"), request.formValue("client_secret")]
        guard [request.basicCredentials, form].contains([grants.clientID, grants.clientSecret]) else {
            throw ServerResponse.oauthError("invalid_client", "Unknown client or wrong secret", status: 401)
        }
        let tokens: ServerJSON?
        switch request.formValue("grant_type") {
        case "authorization_code":
            tokens = grants.exchange(
                code: request.formValue("code") ?? "", redirectURI: request.formValue("redirect_uri"),
                verifier: request.formValue("code_verifier"))
        case "refresh_token":
            tokens = grants.refresh(request.formValue("refresh_token") ?? "")
        default:
            throw ServerResponse.oauthError("unsupported_grant_type", "Unsupported grant type")
        }
        guard let tokens else { throw ServerResponse.oauthError("invalid_grant", "Invalid grant") }
        return .token(tokens)
    }
}

extension ServerResponse {
    /// Returns a response with tokens, which must not be cached.
    static func token(_ json: ServerJSON, status: Int = 200) -> ServerResponse {
        var response = ServerResponse.json(json, status: status)
        response.headers["Cache-Control"] = "no-store"
        if status == 401 { response.headers["WWW-Authenticate"] = "Basic realm=\"api\"" }
        return response
    }

    static func oauthError(_ code: String, _ description: String, status: Int = 400) -> ServerResponse {
        token(["error": .string(code), "error_description": .string(description)], status: status)
    }
}

extension URLComponents {
    /// Whether a code may be sent there: over `https`, to an app on this device, or to a server on this machine.
    fileprivate var mayReceiveCodes: Bool {
        guard let scheme = scheme?.lowercased(), fragment == nil, user == nil else { return false }
        return scheme != "http" || ServerRequest.isLoopback(percentEncodedHost ?? "")
    }
}

extension ServerRequest {
    /// Whether the request is for this machine by one of its own names.
    fileprivate var namesLoopback: Bool {
        let host = headers["Host"] ?? ""
        return Self.isLoopback(
            String(host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }))
    }

    fileprivate static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return ["localhost", "[::1]"].contains(host.lowercased())
            || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The client's ID and secret in the header, each form-encoded.
    fileprivate var basicCredentials: [String?] {
        let words = (headers["Authorization"] ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic", let pair = Data(base64Encoded: String(words[1]))
        else {
            return []
        }
        return String(decoding: pair, as: UTF8.self).split(separator: ":", maxSplits: 1).map {
            $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
        }
    }
}
