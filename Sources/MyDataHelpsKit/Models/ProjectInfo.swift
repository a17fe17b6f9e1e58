import Foundation

/// The project a participant takes part in, in the language that was asked for.
public struct ProjectInfo: Decodable, Sendable, Equatable, Identifiable {
    /// Identifies a project in this answer; see ``projectID`` for the id other answers hold.
    public typealias ID = ScopedIdentifier<ProjectInfo, String>

    /// The project's id.
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
    /// Who runs it.
    public var organization: Organization
    /// Where to write for help.
    public var supportEmail: String?
    /// Where to call for help.
    public var supportPhone: String?
    /// Where to read more.
    public var learnMoreURL: URL?
    /// What to call the link to it.
    public var learnMoreTitle: String?

    /// A project, as for tests and previews.
    public init(
        id: ID, name: String, description: String? = nil, code: String = "", type: ProjectType = .researchStudy,
        organization: Organization, supportEmail: String? = nil, supportPhone: String? = nil,
        learnMoreURL: URL? = nil, learnMoreTitle: String? = nil
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.code = code
        self.type = type
        self.organization = organization
        self.supportEmail = supportEmail
        self.supportPhone = supportPhone
        self.learnMoreURL = learnMoreURL
        self.learnMoreTitle = learnMoreTitle
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, description, code, type, organization, supportEmail, supportPhone, learnMoreTitle
        case learnMoreURL = "learnMoreLink"
    }

    /// Reads a project.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        description = try container.text(.description)
        code = try container.text(.code) ?? ""
        type = try container.decodeIfPresent(ProjectType.self, forKey: .type) ?? ProjectType(rawValue: "")
        organization = try container.decode(Organization.self, forKey: .organization)
        supportEmail = try container.text(.supportEmail)
        supportPhone = try container.text(.supportPhone)
        learnMoreURL = try container.address(.learnMoreURL)
        learnMoreTitle = try container.text(.learnMoreTitle)
    }
}

/// Who runs a project.
public struct Organization: Decodable, Sendable, Equatable, Identifiable {
    /// Identifies an organization.
    public typealias ID = ScopedIdentifier<Organization, String>

    /// The organization's id.
    public var id: ID
    /// What it is called.
    public var name: String
    /// What it does.
    public var description: String?
    /// Where its logo is; no login is needed.
    public var logoURL: URL?
    /// Its colour, as `#rrggbb`.
    public var color: String?

    /// An organization, as for tests and previews.
    public init(id: ID, name: String, description: String? = nil, logoURL: URL? = nil, color: String? = nil) {
        self.id = id
        self.name = name
        self.description = description
        self.logoURL = logoURL
        self.color = color
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, description, color
        case logoURL = "logoUrl"
    }

    /// Reads an organization; a missing or empty logo or colour is nil.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        description = try container.text(.description)
        logoURL = try container.address(.logoURL)
        color = try container.text(.color).flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// What kind of project it is.
public struct ProjectType: ServiceWord {
    /// The service's words.
    public let rawValue: String

    /// Any kind.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A research study.
    public static let researchStudy = ProjectType(rawValue: "Research Study")
    /// A wellness program.
    public static let wellnessProgram = ProjectType(rawValue: "Wellness Program")
    /// A clinical program.
    public static let clinicalProgram = ProjectType(rawValue: "Clinical Program")
}
