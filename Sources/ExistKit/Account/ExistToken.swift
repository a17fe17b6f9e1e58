import Foundation

/// A pair of tokens from OAuth2. It is never printed; encode it to keep it somewhere safe.
public struct ExistToken: Codable, Hashable, Sendable {
    /// What requests carry.
    public var accessToken: String
    /// What gets the next pair; nil if the service gave none.
    public var refreshToken: String?
    /// When the access token runs out; nil if the service did not say.
    public var expiresAt: Date?
    /// What it may do, which can be less than was asked for; nil if the service did not say.
    public var scopes: [String]?

    /// A pair, as from a store.
    public init(accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil, scopes: [String]? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.scopes = scopes
    }

    /// Whether it has run out by then.
    public func isExpired(at date: Date) -> Bool {
        expiresAt.map { $0 <= date } ?? false
    }
}

extension ExistToken: CustomStringConvertible, CustomReflectable {
    /// When it runs out; never the tokens.
    public var description: String { "ExistToken(expires \(expiresAt.map { "\($0)" } ?? "unknown"))" }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt as Any]) }
}

/// The service's reply, whose numbers may come as text.
struct TokenReply: Decodable, Sendable {
    var accessToken: String
    var refreshToken: String?
    var seconds: Double?
    var scope: String?

    private enum CodingKeys: String, CodingKey {
        case scope
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case seconds = "expires_in"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try container.decode(String.self, forKey: .accessToken)
        refreshToken = try container.decodeIfPresent(String.self, forKey: .refreshToken)
        scope = try container.decodeIfPresent(String.self, forKey: .scope)
        seconds =
            (try? container.decodeIfPresent(Double.self, forKey: .seconds))
            ?? (try? container.decodeIfPresent(String.self, forKey: .seconds)).flatMap { $0.flatMap(Double.init) }
    }

    /// Counted from when it was asked for, so that it never seems to live longer than it does.
    func token(askedAt date: Date) -> ExistToken {
        ExistToken(
            accessToken: accessToken, refreshToken: refreshToken, expiresAt: seconds.map(date.addingTimeInterval),
            scopes: scope?.split(separator: " ").map(String.init))
    }
}
