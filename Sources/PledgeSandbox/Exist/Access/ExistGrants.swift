import Foundation

/// OAuth2's consent, codes, and pairs of tokens.
final class ExistGrants: Sendable {
    /// The lifetime of an access token, in seconds.
    static let lifetime = 31_535_999

    let clientID: String
    let clientSecret: String
    private let client: ExistService
    private let tokens: TokenTable<ExistToken>
    private let codes: TokenTable<(scopes: Set<String>, redirectURI: String)>
    /// The pairs by refresh token, none of which expires.
    private let pairs: TokenTable<(scopes: Set<String>, accessToken: String)>
    private let key: String
    private let issued = Protected(0)

    init(
        clientID: String, clientSecret: String, client: ExistService, tokens: TokenTable<ExistToken>,
        key: String, now: @escaping @Sendable () -> Date
    ) {
        (self.clientID, self.clientSecret, self.client, self.tokens) = (clientID, clientSecret, client, tokens)
        (self.key, codes, pairs) = (key, TokenTable(now: now), TokenTable(now: now))
    }

    func makeCode(scopes: Set<String>, redirectURI: String) -> String {
        // Whoever asks for a code has shown no secret yet, so it does not contain the key.
        let code = digits()
        // Ten minutes are the longest that the standard recommends.
        codes.add(code, (scopes, redirectURI), lifetime: 600)
        return code
    }

    func add(accessToken: String, refreshToken: String, scopes: Set<String>, lifetime: Int? = nil) {
        pairs.add(refreshToken, (scopes, accessToken))
        tokens.add(
            accessToken, ExistToken(kind: .oauth, scopes: scopes, client: client), lifetime: lifetime.map(Double.init))
    }

    /// Exchanges a code for a pair of tokens; nil if it is unknown, used, expired, or for another redirect URI.
    ///
    /// - Parameter redirectURI: The repeated redirect URI; nil from a client that registered only one.
    func exchange(code: String, redirectURI: String?) -> ServerJSON? {
        guard let grant = codes.remove(code), redirectURI ?? grant.redirectURI == grant.redirectURI else { return nil }
        return issue(grant.scopes)
    }

    /// Exchanges a refresh token for a new pair, which invalidates both old tokens.
    func refresh(_ refreshToken: String) -> ServerJSON? {
        guard let pair = pairs.remove(refreshToken) else { return nil }
        tokens.remove(pair.accessToken)
        return issue(pair.scopes)
    }

    private func issue(_ scopes: Set<String>) -> ServerJSON {
        let (accessToken, refreshToken) = (digits() + key, digits() + key)
        add(accessToken: accessToken, refreshToken: refreshToken, scopes: scopes, lifetime: Self.lifetime)
        return [
            "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": .integer(Self.lifetime),
            "refresh_token": .string(refreshToken), "scope": .string(scopes.sorted().joined(separator: " ")),
        ]
    }

    /// Returns forty hexadecimal digits: different on each call, the same on every run.
    private func digits() -> String {
        let number = issued.withLock { issued in
            issued += 3
            return issued
        }
        // Set the most significant bit, so that every number has sixteen digits.
        let words = (0..<3).map { DayNoise.bits(.secret, number + $0) | 1 << 63 }
        return String(words.map { String($0, radix: 16) }.joined().prefix(40))
    }
}
