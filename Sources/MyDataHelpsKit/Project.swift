import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ParticipantSession {
    /// Fetches the participant's project. `GET api/v1/delegated/project`
    public func getProjectInfo() -> Promise<ProjectInfo> { call(.project) }
    public func getProjectInfo() async throws(MyDataHelpsError) -> ProjectInfo { try await value(of: call(.project)) }
    public func getProjectInfo(completion: @escaping Completion<ProjectInfo>) {
        deliver(call(.project), to: completion)
    }

    /// Fetches the project's data collection settings. `GET api/v1/delegated/datacollectionsettings`
    public func getDataCollectionSettings() -> Promise<ProjectDataCollectionSettings> { call(.dataCollectionSettings) }
    public func getDataCollectionSettings() async throws(MyDataHelpsError) -> ProjectDataCollectionSettings {
        try await value(of: call(.dataCollectionSettings))
    }
    public func getDataCollectionSettings(completion: @escaping Completion<ProjectDataCollectionSettings>) {
        deliver(call(.dataCollectionSettings), to: completion)
    }
}

extension Endpoint where Response == ProjectInfo {
    static var project: Endpoint { Endpoint(.get, "api/v1/delegated/project") }
}

extension Endpoint where Response == ProjectDataCollectionSettings {
    static var dataCollectionSettings: Endpoint { Endpoint(.get, "api/v1/delegated/datacollectionsettings") }
}

/// The project that a participant belongs to, in the requested language.
public struct ProjectInfo: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a project. Only this model uses this type. All other models use the type of
    /// ``projectID``.
    public typealias ID = ScopedIdentifier<ProjectInfo, String>

    /// The identifier of the project.
    public var id: ID
    /// The identifier of the project, with the type that ``ParticipantInfo/projectID`` has.
    public var projectID: Project.ID { Project.ID(id.value) }
    /// The name of the project.
    public var name: String
    /// The description of the project.
    public var description: String?
    /// The enrollment code of the project. It may be empty.
    public var code: String
    /// The kind of the project.
    public var type: ProjectType
    /// The organization that runs the project.
    public var organization: Organization
    /// The email address for support.
    public var supportEmail: String?
    /// The phone number for support.
    public var supportPhone: String?
    /// The address of a page with further information, as the service sent it. It may not be a valid URL.
    public var learnMoreLink: String?
    /// The URL of a page with further information; nil if ``learnMoreLink`` is missing or is not a usable URL.
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
    /// The address of the logo, as the service sent it. It may not be a valid URL.
    public var logoLink: String?
    /// The URL of the logo; nil if ``logoLink`` is missing or is not a usable URL. Loading the logo requires no
    /// authentication.
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
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        name = try fields.required("name").lenientText()
        description = fields.text("description")
        code = fields.anyText("code") ?? ""
        type = fields.word("type") ?? ProjectType(rawValue: "")
        organization = try Organization(reading: fields.required("organization"))
        supportEmail = fields.text("supportEmail")
        supportPhone = fields.anyText("supportPhone")
        learnMoreLink = fields.nonEmptyText("learnMoreLink")
        learnMoreTitle = fields.text("learnMoreTitle")
    }
}

extension Organization: Readable {
    /// Decodes an organization. A missing or empty address of the logo becomes nil, and so does a missing or empty
    /// color.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        name = try fields.required("name").lenientText()
        description = fields.text("description")
        logoLink = fields.nonEmptyText("logoUrl")
        color = fields.nonEmptyText("color")
    }
}

/// The data collection settings of a project.
public struct ProjectDataCollectionSettings: Codable, Sendable, Equatable {
    /// Whether the project collects Fitbit data.
    public var fitbitEnabled: Bool { enabled["fitbitEnabled"] ?? false }
    /// Whether the project collects health records. If the project doesn't collect them, participants can't connect the
    /// accounts of providers.
    public var ehrEnabled: Bool { enabled["ehrEnabled"] ?? false }
    /// Whether the project collects air quality data.
    public var airQualityEnabled: Bool { enabled["airQualityEnabled"] ?? false }
    /// Whether the project collects weather data.
    public var weatherEnabled: Bool { enabled["weatherEnabled"] ?? false }
    /// Whether the project collects Google Health data; nil if the service doesn't state it. Fitbit data has a flag of
    /// its own: ``fitbitEnabled``.
    public var googleHealthEnabled: Bool? { enabled["googleHealthEnabled"] }
    /// Whether the project collects Health Connect data; nil if the service doesn't state it.
    public var healthConnectEnabled: Bool? { enabled["healthConnectEnabled"] }
    /// Whether the project collects Oura data; nil if the service doesn't state it.
    public var ouraEnabled: Bool? { enabled["ouraEnabled"] }
    /// Whether the project collects Dexcom data; nil if the service doesn't state it.
    public var dexcomEnabled: Bool? { enabled["dexcomEnabled"] }
    /// Whether the project collects Garmin data; nil if the service doesn't state it.
    public var garminEnabled: Bool? { enabled["garminEnabled"] }
    /// All flags of the response by their keys, such as `omronEnabled`. The service may add flags.
    public var enabled: [String: Bool]
    /// The types of data that a ``DeviceDataQuery`` can request, as far as the service lists them. It leaves out those of
    /// the namespace ``DeviceDataNamespace/project``, which can always be requested. They are types of version 1. For
    /// those of version 2, see ``ServiceAccount/deviceDataV2Types(in:)``.
    public var queryableDeviceDataTypes: Set<QueryableDeviceDataType>
    /// The names of all namespaces whose data a ``DeviceDataQuery`` can request, sorted. `Project`, which has the data
    /// that apps store, is always one of them, although the service leaves it out of ``queryableDeviceDataTypes``.
    package var namespaces: [String] {
        let listed = queryableDeviceDataTypes.map { ExactText($0.namespace.rawValue) }
        return Set(listed + [ExactText(DeviceDataNamespace.project.rawValue)]).sorted().map(\.text)
    }
    /// The date on which collection of sensor data ends.
    public var sensorDataCollectionEndDate: Date?
    /// The data types and flags that could not be decoded. The entry of a flag has the index 0, and its reason contains
    /// the flag's name.
    public var unreadable: [UnreadableItem]

    /// Creates settings for use in tests and previews.
    public init(
        enabled: [String: Bool] = [:], queryableDeviceDataTypes: Set<QueryableDeviceDataType> = [],
        sensorDataCollectionEndDate: Date? = nil, unreadable: [UnreadableItem] = []
    ) {
        self.enabled = enabled
        self.queryableDeviceDataTypes = queryableDeviceDataTypes
        self.sensorDataCollectionEndDate = sensorDataCollectionEndDate
        self.unreadable = unreadable
    }
}

/// A type of device data that can be queried.
public struct QueryableDeviceDataType: Codable, Hashable, Sendable {
    /// The namespace that the data type belongs to.
    public var namespace: DeviceDataNamespace
    /// The name of the type within its namespace.
    public var type: String

    /// Creates a data type for use in tests and previews.
    public init(namespace: DeviceDataNamespace, type: String) {
        self.namespace = namespace
        self.type = type
    }
}

extension ProjectDataCollectionSettings: Readable {
    /// Decodes the settings. A flag that is missing or can't be decoded is not in ``enabled``.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        var (enabled, unclear): ([String: Bool], [String]) = ([:], [])
        try fields.forEach { (name, value) throws(TapeFailure) in
            guard name.hasSuffix("Enabled"), !value.isNull else { return }
            do throws(TapeFailure) {
                enabled[name] = try value.lenientBool()
            } catch {
                unclear.append(name)
            }
        }
        self.enabled = enabled
        let types = fields.optional("queryableDeviceDataTypes") { (list) throws(TapeFailure) in
            try list.items(of: QueryableDeviceDataType.self)
        }
        queryableDeviceDataTypes = Set(types?.items ?? [])
        unreadable = types?.unreadable ?? []
        for name in unclear.sorted() { unreadable.add(0) { "\(name) is neither true nor false" } }
        sensorDataCollectionEndDate = fields.optionalDate("sensorDataCollectionEndDate")
    }

    private enum CodingKeys: CodingKey { case queryableDeviceDataTypes, sensorDataCollectionEndDate }

    /// Encodes each flag under its own key. The types are sorted, because a set has no order.
    public func encode(to encoder: any Encoder) throws {
        try enabled.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        let types = queryableDeviceDataTypes.sorted {
            ($0.namespace.rawValue, $0.type) < ($1.namespace.rawValue, $1.type)
        }
        try fields.encode(types, forKey: .queryableDeviceDataTypes)
        try fields.encodeIfPresent(sensorDataCollectionEndDate, forKey: .sensorDataCollectionEndDate)
    }
}

extension QueryableDeviceDataType: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        namespace = try fields.required("namespace").word()
        type = try fields.required("type").lenientText()
    }
}
