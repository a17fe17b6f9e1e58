import Foundation

extension ExistBackend {
    /// Returns a route for requests with any valid token. Requests with other tokens get a 401, and requests with a
    /// token that exceeds its hourly limit get a 429.
    func readRoute(
        _ pattern: String, _ respond: @escaping @Sendable (ServerRequest, ExistToken) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(pattern) { try respond($0, token(of: $0)) }
    }

    /// Returns a route for requests with a valid OAuth2 token. Requests with a simple token get a 403, because simple
    /// tokens are read-only.
    func writeRoute(
        _ pattern: String, _ respond: @escaping @Sendable (ServerRequest, ExistToken) throws -> ServerResponse
    ) -> ServerRoute {
        readRoute(pattern) { request, token in
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
        guard hourlyLimit.use(words[1]).isAllowed else { throw ServerResponse.empty(429) }
        return token
    }
}

extension ServerResponse {
    static func detail(_ text: String, status: Int) -> ServerResponse {
        .json(["detail": .string(text)], status: status)
    }
}

/// The OAuth2 service of the sandbox. It issues codes after the user's consent, and pairs of an access token and a
/// refresh token.
final class ExistOAuthServer: Sendable {
    /// What a user has consented to.
    struct Grant: Sendable {
        let scopes: Set<String>
        let redirectURI: String
    }

    /// The lifetime of an access token, in seconds.
    static let lifetime = 31_535_999

    let clientID: String
    let clientSecret: String
    private let client: ExistService
    private let tokens: ExpiringTable<ExistToken>
    private let codes: ExpiringTable<Grant>
    /// The pairs of tokens, by their refresh tokens. Refresh tokens don't expire.
    private let pairs: ExpiringTable<(scopes: Set<String>, accessToken: String)>
    private let key: String
    private let issued = Protected(0)

    init(
        clientID: String, clientSecret: String, client: ExistService, tokens: ExpiringTable<ExistToken>,
        key: String, now: @escaping @Sendable () -> Date
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.client = client
        self.tokens = tokens
        self.key = key
        codes = ExpiringTable(now: now)
        pairs = ExpiringTable(now: now)
    }

    func makeCode(for grant: Grant) -> String {
        // The code is random, so that nobody can guess it. Unlike a token, the code doesn't contain the sandbox's key,
        // because the client that gets the code has not yet proved that it knows a secret.
        let code = (0..<20).map { _ in String(UInt8.random(in: 16...255), radix: 16) }.joined()
        // Ten minutes is the longest lifetime that the standard recommends.
        codes.add(code, grant, lifetime: 600)
        return code
    }

    func add(accessToken: String, refreshToken: String, scopes: Set<String>, lifetime: Int? = nil) {
        pairs.add(refreshToken, (scopes, accessToken))
        tokens.add(
            accessToken, ExistToken(kind: .oauth, scopes: scopes, client: client), lifetime: lifetime.map(Double.init))
    }

    /// Exchanges a code for a pair of tokens. Returns nil if the code is unknown, was used before, or has expired. Also
    /// returns nil if the redirect URI doesn't belong to the code.
    ///
    /// - Parameter redirectURI: The redirect URI that the client sent again; nil if it didn't. A client that registered
    ///   only one redirect URI may omit it.
    func exchange(code: String, redirectURI: String?) -> ServerJSON? {
        guard let grant = codes.remove(code), redirectURI ?? grant.redirectURI == grant.redirectURI else { return nil }
        return issue(grant.scopes)
    }

    /// Exchanges a refresh token for a new pair of tokens. Both tokens of the old pair then become invalid.
    func refresh(_ refreshToken: String) -> ServerJSON? {
        guard let pair = pairs.remove(refreshToken) else { return nil }
        tokens.remove(pair.accessToken)
        return issue(pair.scopes)
    }

    private func issue(_ scopes: Set<String>) -> ServerJSON {
        let accessToken = digits() + key
        let refreshToken = digits() + key
        add(accessToken: accessToken, refreshToken: refreshToken, scopes: scopes, lifetime: Self.lifetime)
        return [
            "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": .integer(Self.lifetime),
            "refresh_token": .string(refreshToken), "scope": .string(scopes.sorted().joined(separator: " ")),
        ]
    }

    /// Returns forty hexadecimal digits. They are different on each call, but the same on every run of the sandbox.
    private func digits() -> String {
        let number = issued.withLock { issued in
            issued += 3
            return issued
        }
        // Sets the most significant bit of each number, so that each has sixteen digits.
        let words = (0..<3).map { DayNoise.bits(.secret, number + $0) | 1 << 63 }
        return String(words.map { String($0, radix: 16) }.joined().prefix(40))
    }
}

struct ExistToken: Sendable {
    let kind: ExistSandbox.TokenKind
    let scopes: Set<String>
    let client: ExistService
    /// The user name of the token's owner; nil for the sandbox's own user.
    var username: String?

    func canRead(_ attribute: ExistAttribute) -> Bool {
        kind == .simple || allows("read", attribute.group, manual: attribute.manual)
    }

    func owns(_ attribute: ExistAttribute) -> Bool {
        kind == .oauth && attribute.isActive && attribute.service == client
    }

    func checkWriting(_ group: ExistGroup, manual: Bool) throws(ExistItemError) {
        guard allows("write", group, manual: manual) else { throw .noScope("\(group.name)_write") }
    }

    private func allows(_ action: String, _ group: ExistGroup, manual: Bool) -> Bool {
        scopes.contains("\(group.name)_\(action)") || (manual && scopes.contains("manual_\(action)"))
    }
}

extension ExistBackend {
    /// The routes for signing in.
    ///
    /// The routes of OAuth2 check the name of the host in the request. Without this check, a web page in the user's
    /// browser could use these routes: it could give its own domain name the address of this machine.
    var tokenRoutes: [ServerRoute] {
        [
            ServerRoute("POST /api/2/auth/simple-token/", respond: giveSimpleToken),
            // The documentation of Exist shows both versions of this path.
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

    /// Responds to the request that opens the consent page. It simulates a user who consents immediately.
    func askForConsent(_ request: ServerRequest) throws -> ServerResponse {
        guard let redirectURI = request.queryValue("redirect_uri"), var target = URLComponents(string: redirectURI),
            target.mayReceiveCodes
        else {
            throw ServerResponse.oauthError(
                "invalid_request", "The redirect_uri is missing, or neither https, an app's, nor on this machine.")
        }
        let scopes = Set((request.queryValue("scope") ?? "").split(separator: " ").map(String.init))
        let outcome: URLQueryItem
        if request.queryValue("client_id") != oauth.clientID {
            outcome = URLQueryItem(name: "error", value: "unauthorized_client")
        } else if request.queryValue("response_type") != "code" {
            outcome = URLQueryItem(name: "error", value: "unsupported_response_type")
        } else if scopes.isEmpty || !scopes.isSubset(of: ExistSandbox.allScopes) {
            outcome = URLQueryItem(name: "error", value: "invalid_scope")
        } else {
            let grant = ExistOAuthServer.Grant(scopes: scopes, redirectURI: redirectURI)
            outcome = URLQueryItem(name: "code", value: oauth.makeCode(for: grant))
        }
        let state = request.queryItems.filter { $0.name == "state" }
        target.queryItems = (target.queryItems ?? []) + [outcome] + state
        // `URLComponents` does not encode a plus sign, but the recipient would decode the sign as a space. So it is
        // encoded here.
        target.percentEncodedQuery = target.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        return .empty(302, headers: ["Location": target.string ?? redirectURI])
    }

    func giveTokens(_ request: ServerRequest) throws -> ServerResponse {
        // A client may send its ID and secret in the header, as most OAuth libraries do, or in the form.
        let form = [request.formValue("client_id"), request.formValue("client_secret")]
        guard [request.basicCredentials, form].contains([oauth.clientID, oauth.clientSecret]) else {
            throw ServerResponse.oauthError("invalid_client", "Unknown client or wrong secret", status: 401)
        }
        let tokens: ServerJSON?
        switch request.formValue("grant_type") {
        case "authorization_code":
            tokens = oauth.exchange(
                code: request.formValue("code") ?? "", redirectURI: request.formValue("redirect_uri"))
        case "refresh_token":
            tokens = oauth.refresh(request.formValue("refresh_token") ?? "")
        default:
            throw ServerResponse.oauthError("unsupported_grant_type", "Unsupported grant type")
        }
        guard let tokens else { throw ServerResponse.oauthError("invalid_grant", "Invalid grant") }
        return .token(tokens)
    }
}

extension ServerResponse {
    /// Returns a response about tokens, with a header field which says that it must not be cached.
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
    /// Whether the sandbox may send a code to this URL. The URL must use `https`, or belong to an app on this device or
    /// to a server on this machine.
    fileprivate var mayReceiveCodes: Bool {
        guard let scheme = scheme?.lowercased(), fragment == nil, user == nil else { return false }
        return scheme != "http" || ServerRequest.isLoopback(percentEncodedHost ?? "")
    }
}

extension ServerRequest {
    /// Whether the host in the request is one of this machine's own names, such as `localhost`.
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

    /// The client's ID and secret from the header `Authorization`. In the header, each of them is form-encoded.
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
