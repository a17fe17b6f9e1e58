import Foundation

/// A connection between the participant and a provider.
public struct ExternalAccount: Decodable, Sendable, Equatable, Identifiable {
    /// Identifies an account; not to be taken for the id of its provider.
    public typealias ID = ScopedIdentifier<ExternalAccount, Int>

    /// The account's id.
    public var id: ID
    /// How it stands.
    public var status: ExternalAccountStatus
    /// Whom it connects to.
    public var provider: ExternalAccountProvider
    /// When data was last fetched; nil for never.
    public var lastRefreshDate: Date?

    /// An account, as for tests and previews.
    public init(
        id: ID, status: ExternalAccountStatus, provider: ExternalAccountProvider, lastRefreshDate: Date? = nil
    ) {
        self.id = id
        self.status = status
        self.provider = provider
        self.lastRefreshDate = lastRefreshDate
    }

    private enum CodingKeys: String, CodingKey {
        case id, status, provider, lastRefreshDate
    }

    /// Reads an account.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ID.self, forKey: .id)
        status = try container.decode(ExternalAccountStatus.self, forKey: .status)
        provider = try container.decode(ExternalAccountProvider.self, forKey: .provider)
        lastRefreshDate = try container.optionalDate(.lastRefreshDate)
    }
}

/// How an account stands.
public struct ExternalAccountStatus: ServiceWord {
    /// The service's word.
    public let rawValue: String

    /// Any status.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// All data is there.
    public static let fetchComplete = ExternalAccountStatus(rawValue: "fetchComplete")
    /// Data is being fetched.
    public static let fetchingData = ExternalAccountStatus(rawValue: "fetchingData")
    /// Data could not be fetched.
    public static let error = ExternalAccountStatus(rawValue: "error")
    /// The participant has to connect again.
    public static let unauthorized = ExternalAccountStatus(rawValue: "unauthorized")

    /// Whether it stays so until somebody does something.
    public var isFinal: Bool { [.fetchComplete, .error, .unauthorized].contains(self) }
}
