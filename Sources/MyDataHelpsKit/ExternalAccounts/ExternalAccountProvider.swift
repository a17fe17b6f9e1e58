import Foundation
import PledgeCoding

/// An external provider of the participant's data, such as a clinic or a device manufacturer.
public struct ExternalAccountProvider: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a provider, distinct from that of an account.
    public typealias ID = ScopedIdentifier<ExternalAccountProvider, Int>

    /// The identifier of the provider.
    public var id: ID
    /// The name of the provider.
    public var name: String
    /// The category of the provider.
    public var category: ExternalAccountProviderCategory
    /// The logo's address as sent by the service, which may not be a valid URL.
    public var logoLink: String?
    /// The logo's URL, which requires no authentication; nil if the service sends no usable URL. See ``logoLink``.
    public var logoURL: URL? { URL(written: logoLink) }
    /// Whether the provider accepts connections; nil if unspecified.
    public var isEnabled: Bool?
    /// The service's message about the provider, such as `Unavailable`.
    public var message: String?
    /// The identifier of the provider that replaces this one.
    public var successorID: ID?
    /// A provider that belongs to this one, as sent by the service.
    public var relatedProvider: JSONValue?
    /// The organization that the provider is part of, as sent by the service.
    public var managingOrganization: JSONValue?

    /// Creates a provider for use in tests and previews.
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

    private enum CodingKeys: String, CodingKey {
        case id, name, category, message, successorID, relatedProvider, managingOrganization
        case logoLink = "logoUrl"
        case isEnabled = "enabled"
    }
}

/// The category of an external account provider.
public struct ExternalAccountProviderCategory: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A clinic, hospital or practice.
    public static let provider = ExternalAccountProviderCategory(rawValue: "Provider")
    /// A health insurer or health plan.
    public static let healthPlan = ExternalAccountProviderCategory(rawValue: "Health Plan")
    /// A manufacturer of health devices.
    public static let deviceManufacturer = ExternalAccountProviderCategory(rawValue: "Device Manufacturer")
}

extension ExternalAccountProvider: Readable {
    /// Decodes a provider; a missing or empty logo is nil.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientInt())
        name = try fields.required("name").lenientText()
        category = (try? fields.present("category")?.word()) ?? ExternalAccountProviderCategory(rawValue: "")
        logoLink = try? fields.address("logoUrl")
        isEnabled = fields.flag("enabled")
        message = try? fields.text("message")
        successorID = (try? fields.int("successorID")).map { ID($0) }
        relatedProvider = try? fields.read(JSONValue.self, "relatedProvider")
        managingOrganization = try? fields.read(JSONValue.self, "managingOrganization")
    }
}
