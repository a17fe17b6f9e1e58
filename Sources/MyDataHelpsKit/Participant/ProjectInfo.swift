import Foundation
import PledgeCoding

/// The project a participant takes part in, in the language that was asked for.
public struct ProjectInfo: Sendable, Equatable, Identifiable {
    /// Identifies a project in this answer; see ``projectID`` for the id other answers hold.
    public typealias ID = ScopedIdentifier<ProjectInfo, String>

    /// Tells the project from every other.
    public var id: ID
    /// The same id as ``ParticipantInfo`` has it.
    public var projectID: Project.ID { Project.ID(id.value) }
    /// What it is called.
    public var name: String
    /// What it is about.
    public var description: String?
    /// The code to enrol with; may be empty.
    public var code: String
    /// What kind of project it is.
    public var type: ProjectType
    /// The organization that runs the project.
    public var organization: Organization
    /// Where to write for help.
    public var supportEmail: String?
    /// Where to call for help.
    public var supportPhone: String?
    /// Where to read more, as the service has it, which may be no address.
    public var learnMoreLink: String?
    /// Where to read more; see ``learnMoreLink``.
    public var learnMoreURL: URL? { URL(written: learnMoreLink) }
    /// What to call the link to it.
    public var learnMoreTitle: String?

    /// Makes a project by hand, for tests and previews.
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

/// Who runs a project.
public struct Organization: Sendable, Equatable, Identifiable {
    /// Tells an organization from every other.
    public typealias ID = ScopedIdentifier<Organization, String>

    /// Tells the organization from every other.
    public var id: ID
    /// What it is called.
    public var name: String
    /// What the organization says of itself.
    public var description: String?
    /// Where its logo is, as the service has it, which may be no address.
    public var logoLink: String?
    /// Where its logo is; no login is needed. Nil where the service does not say; see ``logoLink``.
    public var logoURL: URL? { URL(written: logoLink) }
    /// Its colour, as `#rrggbb`; nil where the service does not say.
    public var color: String?

    /// Makes an organization by hand, for tests and previews.
    public init(id: ID, name: String, description: String? = nil, logoLink: String? = nil, color: String? = nil) {
        self.id = id
        self.name = name
        self.description = description
        self.logoLink = logoLink
        self.color = color
    }
}

/// What kind of project it is.
public struct ProjectType: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A study that is done for research.
    public static let researchStudy = ProjectType(rawValue: "Research Study")
    /// A program for health and habits.
    public static let wellnessProgram = ProjectType(rawValue: "Wellness Program")
    /// A program that is part of care.
    public static let clinicalProgram = ProjectType(rawValue: "Clinical Program")
}

extension ProjectInfo: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").text())
        name = try fields.required("name").text()
        description = try fields.text("description")
        code = try fields.text("code") ?? ""
        type = try fields.present("type")?.word() ?? ProjectType(rawValue: "")
        organization = try Organization(reading: fields.required("organization"))
        supportEmail = try fields.text("supportEmail")
        supportPhone = try fields.text("supportPhone")
        learnMoreLink = try fields.address("learnMoreLink")
        learnMoreTitle = try fields.text("learnMoreTitle")
    }
}

extension Organization: Readable {
    /// A missing or empty logo or colour is nil.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").text())
        name = try fields.required("name").text()
        description = try fields.text("description")
        logoLink = try fields.address("logoUrl")
        color = try fields.text("color").flatMap { $0.isEmpty ? nil : $0 }
    }
}
