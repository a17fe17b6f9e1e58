import Foundation
import PledgeCoding

/// Someone who has data of the participant, such as a clinic or a maker of devices.
public struct ExternalAccountProvider: Sendable, Equatable, Identifiable {
    /// Identifies a provider; not to be taken for the id of an account.
    public typealias ID = ScopedIdentifier<ExternalAccountProvider, Int>

    /// Tells the provider from every other.
    public var id: ID
    /// What it is called.
    public var name: String
    /// What kind of provider it is.
    public var category: ExternalAccountProviderCategory
    /// Where its logo is, as the service has it, which may be no address.
    public var logoLink: String?
    /// Where its logo is; no login is needed. Nil where the service does not say; see ``logoLink``.
    public var logoURL: URL? { URL(written: logoLink) }
    /// Whether it can be connected to; nil where the service does not say.
    public var isEnabled: Bool?
    /// What the service says about it, such as `Unavailable`.
    public var message: String?
    /// The provider that took its place.
    public var successorID: ID?

    /// Makes a provider by hand, for tests and previews.
    public init(
        id: ID, name: String, category: ExternalAccountProviderCategory = .provider, logoLink: String? = nil,
        isEnabled: Bool? = nil, message: String? = nil, successorID: ID? = nil
    ) {
        self.id = id
        self.name = name
        self.category = category
        self.logoLink = logoLink
        self.isEnabled = isEnabled
        self.message = message
        self.successorID = successorID
    }
}

/// What kind of provider it is.
public struct ExternalAccountProviderCategory: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A clinic, a hospital, a practice.
    public static let provider = ExternalAccountProviderCategory(rawValue: "Provider")
    /// An insurer that pays for care.
    public static let healthPlan = ExternalAccountProviderCategory(rawValue: "Health Plan")
    /// A maker of devices.
    public static let deviceManufacturer = ExternalAccountProviderCategory(rawValue: "Device Manufacturer")
}

extension ExternalAccountProvider: Readable {
    /// A missing or empty logo is nil.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").int())
        name = try fields.required("name").text()
        category = try fields.required("category").word()
        logoLink = try fields.address("logoUrl")
        isEnabled = try fields.flag("enabled")
        message = try fields.repeatedText("message")
        successorID = try fields.int("successorID").map { ID($0) }
    }
}
