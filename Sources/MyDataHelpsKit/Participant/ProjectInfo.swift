import Foundation
import PledgeCoding

/// The project that a participant belongs to, in the requested language.
public struct ProjectInfo: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a project in this response; for that in other responses, see ``projectID``.
    public typealias ID = ScopedIdentifier<ProjectInfo, String>

    /// The identifier of the project.
    public var id: ID
    /// The same identifier, of the type used by ``ParticipantInfo``.
    public var projectID: Project.ID { Project.ID(id.value) }
    /// The name of the project.
    public var name: String
    /// The description of the project.
    public var description: String?
    /// The enrollment code of the project; may be empty.
    public var code: String
    /// The kind of the project.
    public var type: ProjectType
    /// The organization that runs the project.
    public var organization: Organization
    /// The email address for support.
    public var supportEmail: String?
    /// The phone number for support.
    public var supportPhone: String?
    /// The address of further information as sent by the service, which may not be a valid URL.
    public var learnMoreLink: String?
    /// The URL of further information; see ``learnMoreLink``.
    public var learnMoreURL: URL? { URL(written: learnMoreLink) }
    /// The title of the link to further information.
    public var learnMoreTitle: String?

    /// Creates a project for use in tests and previews.
    public init(
        id: ID, name: String, description: String? = nil, code: String = "", type: ProjectType = .researchStudy,
        organization: Organization, supportEmail: String? = nil, supportPhone: String? = nil,
        learnMoreLink: String? = nil, learnMoreTitle: String? = nil
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.code = code
        self.type = type
        self.organization = organization
        self.supportEmail = supportEmail
        self.supportPhone = supportPhone
        self.learnMoreLink = learnMoreLink
        self.learnMoreTitle = learnMoreTitle
    }
}

/// An organization that runs a project.
public struct Organization: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for an organization.
    public typealias ID = ScopedIdentifier<Organization, String>

    /// The identifier of the organization.
    public var id: ID
    /// The name of the organization.
    public var name: String
    /// The description of the organization.
    public var description: String?
    /// The logo's address as sent by the service, which may not be a valid URL.
    public var logoLink: String?
    /// The logo's URL, which requires no authentication; nil if the service sends no usable URL. See ``logoLink``.
    public var logoURL: URL? { URL(written: logoLink) }
    /// The organization's color, as `#rrggbb`; nil if the service sends none.
    public var color: String?

    /// Creates an organization for use in tests and previews.
    public init(id: ID, name: String, description: String? = nil, logoLink: String? = nil, color: String? = nil) {
        self.id = id
        self.name = name
        self.description = description
        self.logoLink = logoLink
        self.color = color
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, description, color
        case logoLink = "logoUrl"
    }
}

/// The kind of a project.
public struct ProjectType: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A study conducted for research.
    public static let researchStudy = ProjectType(rawValue: "Research Study")
    /// A program for health and wellness.
    public static let wellnessProgram = ProjectType(rawValue: "Wellness Program")
    /// A program that is part of clinical care.
    public static let clinicalProgram = ProjectType(rawValue: "Clinical Program")
}

extension ProjectInfo: Readable {
    @usableFromInline package init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        name = try fields.required("name").lenientText()
        description = try? fields.text("description")
        code = try fields.anyText("code") ?? ""
        type = (try? fields.present("type")?.word()) ?? ProjectType(rawValue: "")
        organization = try Organization(reading: fields.required("organization"))
        supportEmail = try? fields.text("supportEmail")
        supportPhone = try fields.anyText("supportPhone")
        learnMoreLink = try? fields.address("learnMoreLink")
        learnMoreTitle = try? fields.text("learnMoreTitle")
    }
}

extension Organization: Readable {
    /// Decodes an organization; a missing or empty logo or color is nil.
    @usableFromInline package init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        name = try fields.required("name").lenientText()
        description = try? fields.text("description")
        logoLink = try? fields.address("logoUrl")
        color = (try? fields.text("color")).flatMap { $0.isEmpty ? nil : $0 }
    }
}
