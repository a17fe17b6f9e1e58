import Foundation

/// OAuth2's consent, codes, and pairs of tokens.
final class ExistGrants: Sendable {
    /// What the user consented to.
    struct Grant: Sendable {
        let scopes: Set<String>
        let redirectURI: String
        /// What the client announced of its verifier; nil if nothing.
        let challenge: CodeChallenge?
    }

    /// The lifetime of an access token, in seconds.
    static let lifetime = 31_535_999

    let clientID: String
    let clientSecret: String
    private let client: ExistService
    private let tokens: TokenTable<ExistToken>
    private let codes: TokenTable<Grant>
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

    func makeCode(for grant: Grant) -> String {
        // Drawn, as nobody may guess it. It does not contain the key: whoever asks for a code has shown no secret yet.
        let code = (0..<20).map { _ in String(UInt8.random(in: 16...255), radix: 16) }.joined()
        // Ten minutes are the longest that the standard recommends.
        codes.add(code, grant, lifetime: 600)
        return code
    }

    func add(accessToken: String, refreshToken: String, scopes: Set<String>, lifetime: Int? = nil) {
        pairs.add(refreshToken, (scopes, accessToken))
        tokens.add(
            accessToken, ExistToken(kind: .oauth, scopes: scopes, client: client), lifetime: lifetime.map(Double.init))
    }

    /// Exchanges a code for a pair of tokens; nil if it is unknown, used, expired, for another redirect URI, or for
    /// another verifier.
    ///
    /// - Parameters:
    ///   - redirectURI: The repeated redirect URI; nil from a client that registered only one.
    ///   - verifier: The secret of which the request for the code had a challenge; nil if it had none.
    func exchange(code: String, redirectURI: String?, verifier: String?) -> ServerJSON? {
        guard let grant = codes.remove(code), redirectURI ?? grant.redirectURI == grant.redirectURI else { return nil }
        // A verifier without a challenge may be that of someone else's code.
        guard verifier.map({ grant.challenge?.matches($0) == true }) ?? (grant.challenge == nil) else { return nil }
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

/// What a client announces of the verifier that it will exchange its code with (RFC 7636).
struct CodeChallenge: Sendable {
    private let text: String
    private let isHashed: Bool

    /// Creates a challenge; nil if the method is unknown.
    init?(_ text: String, method: String?) {
        guard ["plain", "S256"].contains(method ?? "plain") else { return nil }
        (self.text, isHashed) = (text, method == "S256")
    }

    func matches(_ verifier: String) -> Bool {
        guard isHashed else { return verifier == text }
        let hash = Data(SHA256.hash(Array(verifier.utf8))).base64EncodedString()
        return text
            == hash.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
