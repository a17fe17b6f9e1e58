import Foundation
import PledgeCoding

/// A pair of tokens from OAuth2. It is never printed; encode it to keep it somewhere safe.
public struct ExistToken: Codable, Hashable, Sendable {
    /// The token that requests carry.
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

extension ExistToken: Discreet {
    /// When it runs out; never the tokens.
    public var description: String { "ExistToken(expires \(expiresAt.map { "\($0)" } ?? "unknown"))" }
}

/// The service's reply, whose numbers may come as text.
struct TokenReply: Sendable {
    var accessToken: String
    var refreshToken: String?
    var seconds: Double?
    var scope: String?

    /// Counted from when it was asked for, so that it never seems to live longer than it does.
    func token(askedAt date: Date) -> ExistToken {
        ExistToken(
            accessToken: accessToken, refreshToken: refreshToken, expiresAt: seconds.map(date.addingTimeInterval),
            scopes: scope?.split(separator: " ").map(String.init))
    }
}

extension TokenReply: Readable {
    init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        accessToken = try fields.required("access_token").text()
        refreshToken = try fields.text("refresh_token")
        scope = try fields.text("scope")
        guard let time = fields.present("expires_in") else { return }
        switch time.kind {
        case .number: seconds = try? time.double()
        case .text: seconds = Double(try time.text())
        case .null, .bool, .list, .object: break
        }
    }
}
