import Foundation
import PledgeCoding

/// A connection between the participant and a provider.
public struct ExternalAccount: Sendable, Equatable, Identifiable {
    /// Identifies an account; not to be taken for the id of its provider.
    public typealias ID = ScopedIdentifier<ExternalAccount, Int>

    /// Tells the account from every other.
    public var id: ID
    /// How far fetching its data has come.
    public var status: ExternalAccountStatus
    /// The provider it connects to.
    public var provider: ExternalAccountProvider
    /// When data was last fetched; nil for never.
    public var lastRefreshDate: Date?

    /// Makes an account by hand, for tests and previews.
    public init(
        id: ID, status: ExternalAccountStatus, provider: ExternalAccountProvider, lastRefreshDate: Date? = nil
    ) {
        self.id = id
        self.status = status
        self.provider = provider
        self.lastRefreshDate = lastRefreshDate
    }
}

/// How an account stands.
public struct ExternalAccountStatus: ServiceWord {
    public let rawValue: String

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

extension ExternalAccount: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").int())
        status = try fields.required("status").word()
        provider = try ExternalAccountProvider(reading: fields.required("provider"))
        lastRefreshDate = try fields.optionalDate("lastRefreshDate")
    }
}
