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
    /// The other members of the service's response, such as `instance_url` or `id_token`; nil if it had none.
    public var otherMembers: [String: JSONValue]?

    /// Creates a pair of tokens, such as one that was stored.
    public init(
        accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil, scopes: [String]? = nil,
        otherMembers: [String: JSONValue]? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.scopes = scopes
        self.otherMembers = otherMembers
    }

    /// Returns the pair with what the response to a renewal leaves out because it stays as it was.
    func completed(from old: OAuth2Token?) -> OAuth2Token {
        var token = self
        token.refreshToken = refreshToken ?? old?.refreshToken
        token.scopes = scopes ?? old?.scopes
        token.otherMembers = otherMembers.map { (old?.otherMembers ?? [:]).merging($0) { $1 } } ?? old?.otherMembers
        return token
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
    private let others: [String: JSONValue]

    /// The names of members that are no ``OAuth2Token/otherMembers``.
    private static let known: Set = ["access_token", "refresh_token", "expires_in", "scope", "token_type"]

    /// Returns the pair, which expires relative to the time of the request, so that it never seems valid for too long.
    func token(askedAt date: Date) -> OAuth2Token {
        OAuth2Token(
            accessToken: accessToken, refreshToken: refreshToken, expiresAt: seconds.map(date.addingTimeInterval),
            scopes: scope?.split { $0 == " " || $0 == "," }.map(String.init),
            otherMembers: others.isEmpty ? nil : others)
    }
}

extension OAuth2Response: Readable {
    init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        accessToken = try fields.required("access_token").parsed("it is empty") { $0.isEmpty ? nil : $0.string }
        refreshToken = try fields.text("refresh_token").flatMap { $0.isEmpty ? nil : $0 }
        scope = try? fields.text("scope")
        seconds = fields.lifetime("expires_in", otherwise: 3600)
        var others: [String: JSONValue] = [:]
        try fields.forEach { (name, value) throws(TapeFailure) in
            if !Self.known.contains(name), !value.isNull { others[name] = try JSONValue(reading: value) }
        }
        self.others = others
    }
}
