import Foundation

extension ExistBackend {
    /// Returns a route for requests with any valid token. Requests with other tokens get a 401, and requests with a
    /// token that exceeds its hourly limit get a 429.
    func readers(
        _ pattern: String, _ respond: @escaping @Sendable (ServerRequest, ExistToken) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(pattern) { try respond($0, token(of: $0)) }
    }

    /// Returns a route for requests with a valid OAuth2 token. Requests with a simple token get a 403, because simple
    /// tokens are read-only.
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

/// The OAuth2 service of the sandbox. It issues codes after the user's consent, and pairs of an access token and a
/// refresh token.
final class ExistGrants: Sendable {
    /// What a user has consented to.
    struct Grant: Sendable {
        let scopes: Set<String>
        let redirectURI: String
        /// The challenge that the client sent when it requested the code; nil if the client sent no challenge.
        let challenge: CodeChallenge?
    }

    /// The lifetime of an access token, in seconds.
    static let lifetime = 31_535_999

    let clientID: String
    let clientSecret: String
    private let client: ExistService
    private let tokens: TokenTable<ExistToken>
    private let codes: TokenTable<Grant>
    /// The pairs of tokens, by their refresh tokens. Refresh tokens don't expire.
    private let pairs: TokenTable<(scopes: Set<String>, accessToken: String)>
    private let key: String
    private let issued = Protected(0)

    init(
        clientID: String, clientSecret: String, client: ExistService, tokens: TokenTable<ExistToken>,
        key: String, now: @escaping @Sendable () -> Date
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.client = client
        self.tokens = tokens
        self.key = key
        codes = TokenTable(now: now)
        pairs = TokenTable(now: now)
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
    /// returns nil if the redirect URI or the verifier doesn't belong to the code.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI that the client sent again; nil if it didn't. A client that registered only
    ///     one redirect URI may omit it.
    ///   - verifier: The secret from which the client made its challenge; nil if the client sent no verifier.
    func exchange(code: String, redirectURI: String?, verifier: String?) -> ServerJSON? {
        guard let grant = codes.remove(code), redirectURI ?? grant.redirectURI == grant.redirectURI else { return nil }
        // If the code was requested without a challenge, but the client now sends a verifier, the client may have got
        // someone else's code.
        guard verifier.map({ grant.challenge?.matches($0) == true }) ?? (grant.challenge == nil) else { return nil }
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

/// The challenge that a client sends when it requests a code (RFC 7636). The client makes it from a secret, the
/// verifier. Only a client that knows the verifier can exchange the code.
struct CodeChallenge: Sendable {
    private let text: String
    private let isHashed: Bool

    /// Creates a challenge. Returns nil if the method is unknown.
    init?(_ text: String, method: String?) {
        guard ["plain", "S256"].contains(method ?? "plain") else { return nil }
        self.text = text
        isHashed = method == "S256"
    }

    func matches(_ verifier: String) -> Bool {
        guard isHashed else { return verifier == text }
        let hash = Data(SHA256.hash(Array(verifier.utf8))).base64EncodedString()
        return text
            == hash.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
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
        // `URLComponents` does not encode a plus sign, but the recipient would decode the sign as a space. So it is
        // encoded here.
        target.percentEncodedQuery = target.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        return .empty(302, headers: ["Location": target.string ?? redirectURI])
    }

    func giveTokens(_ request: ServerRequest) throws -> ServerResponse {
        // A client may send its ID and secret in the header, as most OAuth libraries do, or in the form.
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

/// The hash function SHA-256 (FIPS 180-4). It is implemented here because not every system that runs Swift has a
/// library for it.
enum SHA256 {
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var padded = bytes + [0x80]
        padded += Array(repeating: 0, count: (120 - padded.count % 64) % 64)
        padded += (0..<8).reversed().map { UInt8(truncatingIfNeeded: (bytes.count * 8) >> ($0 * 8)) }
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<start + 64], to: &state) }
        return state.flatMap { word in (0..<4).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let early = words[index - 15]
            let late = words[index - 2]
            let first = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
            let second = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var a = state[0]
        var b = state[1]
        var c = state[2]
        var d = state[3]
        var e = state[4]
        var f = state[5]
        var g = state[6]
        var h = state[7]
        for index in 0..<64 {
            let choice = e & f ^ ~e & g
            let majority = a & b ^ a & c ^ b & c
            var first = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25))
            first = first &+ choice &+ constants[index] &+ words[index]
            let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The round constants of the standard: the first 32 bits of the fractional parts of the cube roots of the first 64
    /// primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
