import Foundation

/// OAuth2's consent, codes, and pairs of tokens.
final class ExistGrants: Sendable {
    struct Grant: Sendable {
        let scopes: Set<String>
        let redirectURI: String
        var accessToken = ""
        var expires = Date.distantFuture
    }

    private struct State {
        var codes: [String: Grant] = [:]
        var refreshTokens: [String: Grant] = [:]
        var issued = 0
    }

    static let lifetime = 31_535_999
    /// The lifetime of a code in seconds: the longest that the standard recommends.
    static let codeLifetime = 600.0

    let clientID: String
    let clientSecret: String
    let client: ExistService
    private let access: ExistAccess
    private let clock: ExistClock
    private let key: String
    private let state = Protected(State())

    init(
        clientID: String, clientSecret: String, client: ExistService, access: ExistAccess, clock: ExistClock,
        key: String
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.client = client
        self.access = access
        self.clock = clock
        self.key = key
    }

    func makeCode(scopes: Set<String>, redirectURI: String) -> String {
        state.withLock { state in
            let code = secret(&state)
            state.codes[code] = Grant(
                scopes: scopes, redirectURI: redirectURI, expires: clock.now().addingTimeInterval(Self.codeLifetime))
            return code
        }
    }

    func add(accessToken: String, refreshToken: String, scopes: Set<String>) {
        let grant = Grant(scopes: scopes, redirectURI: "", accessToken: accessToken)
        state.withLock { $0.refreshTokens[refreshToken] = grant }
    }

    /// Exchanges a code for a pair of tokens; nil if it is unknown, used, expired, or for another redirect URI.
    ///
    /// - Parameter redirectURI: The repeated redirect URI; nil from a client that registered only one.
    func exchange(code: String, redirectURI: String?) -> ServerJSON? {
        let grant = state.withLock { $0.codes.removeValue(forKey: code) }
        guard let grant, grant.expires > clock.now(), redirectURI ?? grant.redirectURI == grant.redirectURI else {
            return nil
        }
        return issue(grant)
    }

    /// Exchanges a refresh token for a new pair, which invalidates both old tokens.
    func refresh(_ refreshToken: String) -> ServerJSON? {
        guard let grant = state.withLock({ $0.refreshTokens.removeValue(forKey: refreshToken) }) else { return nil }
        access.remove(grant.accessToken)
        return issue(grant)
    }

    private func issue(_ grant: Grant) -> ServerJSON {
        let (accessToken, refreshToken) = state.withLock { state in
            let pair = (secret(&state), secret(&state))
            state.refreshTokens[pair.1] = Grant(
                scopes: grant.scopes, redirectURI: grant.redirectURI, accessToken: pair.0)
            return pair
        }
        access.add(
            ExistToken(
                text: accessToken, kind: .oauth, scopes: grant.scopes, client: client,
                expires: clock.now().addingTimeInterval(Double(Self.lifetime))))
        return [
            "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": .integer(Self.lifetime),
            "refresh_token": .string(refreshToken), "scope": .string(grant.scopes.sorted().joined(separator: " ")),
        ]
    }

    /// Returns forty hexadecimal digits and the key: different on each call, the same on every run with that key.
    private func secret(_ state: inout State) -> String {
        state.issued += 3
        // Set the most significant bit, so that every number has sixteen digits.
        let words = (0..<3).map { DayNoise.bits(.secret, state.issued + $0) | 1 << 63 }
        return String(words.map { String($0, radix: 16) }.joined().prefix(40)) + key
    }
}
