import Foundation
import PledgeCoding

/// A pair of tokens from OAuth 2. It is never printed; encode it to store it in a safe place.
public struct OAuth2Token: Codable, Hashable, Sendable {
    /// The token that authenticates requests.
    public var accessToken: String
    /// The token that obtains the next pair; nil if the service returned none.
    public var refreshToken: String?
    /// The time at which the access token expires; nil if the service did not specify it.
    public var expiresAt: Date?
    /// The granted scopes, possibly fewer than requested; nil if the service did not specify them.
    public var scopes: [String]?

    /// Creates a pair of tokens, such as one that was stored.
    public init(accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil, scopes: [String]? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.scopes = scopes
    }

    /// Returns whether the access token has expired at the given time.
    public func isExpired(at date: Date) -> Bool {
        expiresAt.map { $0 <= date } ?? false
    }
}

extension OAuth2Token: Redacted {
    /// The expiration date, but never the tokens.
    public var description: String { "OAuth2Token(expires \(expiresAt.map { Timestamp.text($0) } ?? "unknown"))" }
}

/// The response of a token endpoint, in which numbers may be strings.
struct OAuth2Response: Sendable {
    private let accessToken: String
    private let refreshToken: String?
    private let seconds: Double?
    private let scope: String?

    /// Returns the pair, which expires relative to the time of the request, so that it never seems valid for too long.
    func token(askedAt date: Date) -> OAuth2Token {
        OAuth2Token(
            accessToken: accessToken, refreshToken: refreshToken, expiresAt: seconds.map(date.addingTimeInterval),
            scopes: scope?.split(separator: " ").map(String.init))
    }
}

extension OAuth2Response: Readable {
    init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        accessToken = try fields.required("access_token").parsed("it is empty") { $0.isEmpty ? nil : $0.string }
        refreshToken = try fields.text("refresh_token").flatMap { $0.isEmpty ? nil : $0 }
        scope = try? fields.text("scope")
        seconds = fields.lifetime("expires_in", otherwise: 3600)
    }
}
