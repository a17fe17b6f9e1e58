import Foundation
import PledgeCoding

/// A participant's connection to an account at an external provider.
public struct ExternalAccount: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for an account, distinct from that of its provider.
    public typealias ID = ScopedIdentifier<ExternalAccount, Int>

    /// The identifier of the account.
    public var id: ID
    /// The status of fetching the account's data.
    public var status: ExternalAccountStatus
    /// The provider of the connected account.
    public var provider: ExternalAccountProvider
    /// The date data was last fetched; nil if never.
    public var lastRefreshDate: Date?

    /// Creates an account for use in tests and previews.
    public init(
        id: ID, status: ExternalAccountStatus, provider: ExternalAccountProvider, lastRefreshDate: Date? = nil
    ) {
        self.id = id
        self.status = status
        self.provider = provider
        self.lastRefreshDate = lastRefreshDate
    }
}

/// All connected accounts of a participant, which the service does not divide into pages.
public struct ExternalAccountsPage: ResultPage, Codable, Equatable {
    /// The type of the items.
    public typealias Element = ExternalAccount

    public var items: [ExternalAccount]
    public var unreadable: [UnreadableItem]

    /// Creates a page for use in tests and previews.
    public init(items: [ExternalAccount], unreadable: [UnreadableItem] = []) {
        self.items = items
        self.unreadable = unreadable
    }
}

/// The status of an external account.
public struct ExternalAccountStatus: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// All data has been fetched.
    public static let fetchComplete = ExternalAccountStatus(rawValue: "fetchComplete")
    /// Data is being fetched.
    public static let fetchingData = ExternalAccountStatus(rawValue: "fetchingData")
    /// Data could not be fetched.
    public static let error = ExternalAccountStatus(rawValue: "error")
    /// The participant must connect the account again.
    public static let unauthorized = ExternalAccountStatus(rawValue: "unauthorized")

    /// Whether the status stays the same until someone acts.
    public var isFinal: Bool { [.fetchComplete, .error, .unauthorized].contains(self) }
}

extension ExternalAccountsPage: Readable {
    @usableFromInline package init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
        let list = try source.items(of: ExternalAccount.self)
        self.init(items: list.items, unreadable: list.unreadable)
    }

    /// Encodes the accounts as a list, without those that could not be decoded.
    public func encode(to encoder: any Encoder) throws { try items.encode(to: encoder) }
}

extension ExternalAccount: Readable {
    @usableFromInline package init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientInt())
        status = try fields.required("status").word()
        provider = try ExternalAccountProvider(reading: fields.required("provider"))
        lastRefreshDate = fields.optionalDate("lastRefreshDate")
    }
}
