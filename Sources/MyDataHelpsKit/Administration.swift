import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ServiceAccount {
    /// Fetches a page of a project's list with the account's own token. A project has two such lists: its participants
    /// (``ProjectParticipantsQuery``), and their device data (``DeviceDataV2Query``).
    ///
    /// To read other data of a participant, create a ``ParticipantSession`` with the tokens from
    /// ``tokens(for:scopes:)``.
    public func page<Query: PagedQuery>(_ query: Query) -> Promise<Query.Page> {
        send(query.endpoint).map(on: nil, \.value)
    }

    /// Returns the pages of a project's list, beginning with the query's page. See ``page(_:)`` and <doc:Paging>.
    ///
    /// The account's token may expire while a long list is read. The token is then renewed, as often as needed.
    public func pages<Query: PagedQuery>(_ query: Query) -> PageSequence<Query> {
        endpoints.sequence(query)
    }

    /// Fetches the participant with this identifier in the project.
    /// `GET api/v1/administration/projects/<id>/participants/<identifier>`
    ///
    /// Rejects with ``MyDataHelpsError/encodingError(_:)`` if the identifier is empty, ".", or "..", because the URL
    /// would then lead to another resource.
    public func participant(_ participantIdentifier: String, in project: Project.ID) -> Promise<ProjectParticipant> {
        let (project, identifier) = (PathSegments.encoded(project.value), PathSegments.encoded(participantIdentifier))
        let path = "api/v1/administration/projects/\(project)/participants/\(identifier)"
        return send(Endpoint<ProjectParticipant>(.get, path)).map(on: nil, \.value)
    }

    /// Sends any endpoint of the administration API with the account's own token. Use it for an endpoint that this kit
    /// has no call for.
    ///
    /// The endpoint's path is relative to the client's base URL.
    public func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Decoded<Response>> {
        endpoints.call(endpoint)
    }
}

/// A query for the participants of a project, ordered by the date on which they were added to it.
public struct ProjectParticipantsQuery: PagedQuery, Equatable {
    /// The default page size. It is also the largest page size that is known to work.
    public static let defaultLimit = 200

    /// The project that the participants belong to.
    public var project: Project.ID
    /// A text that a participant's identifier, name, or email address must contain; nil for all participants.
    public var search: String?
    /// The identifier of a segment of the project; nil for all participants.
    public var segmentID: String?
    /// Whether the participants who were added first come first; nil for the service's default order.
    public var isAscending: Bool?
    public let limit: Int
    /// The page number, starting at 0.
    public var pageNumber: Int { position.number }
    var position: NumberedPage

    /// Creates a query. A limit outside 1 to 200 is clamped to that range. A negative page number becomes 0.
    public init(
        project: Project.ID, search: String? = nil, segmentID: String? = nil, isAscending: Bool? = nil,
        limit: Int = defaultLimit, pageNumber: Int = 0
    ) {
        self.project = project
        self.search = search
        self.segmentID = segmentID
        self.isAscending = isAscending
        self.limit = Self.clamp(limit)
        position = NumberedPage(pageNumber)
    }

    /// Returns the query for the next page with the same filters, or nil if the given page was the last.
    ///
    /// A page is the last if it is empty. A page is also the last if the number of participants so far equals the
    /// number that the service announced.
    public func page(after page: ProjectParticipantsPage) -> ProjectParticipantsQuery? { query(after: page) }

    /// The request: `GET api/v1/administration/projects/<id>/participants`.
    ///
    /// If the page has the same items as the page before it, the service must have ignored the page number. The
    /// response then counts as unreadable.
    public var endpoint: Endpoint<ProjectParticipantsPage> {
        let project = PathSegments.encoded(project.value)
        return Endpoint(
            .get, "api/v1/administration/projects/\(project)/participants",
            query: [
                "pageNumber": pageNumber, "pageSize": limit, "query": search, "segmentId": segmentID,
                "sortBy": isAscending == nil ? nil : "InsertedDate", "sortAscending": isAscending,
            ]
        ) { response, coding in
            var page: Page = try response.json(by: coding)
            page.unreadable += try missing(after: page)
            return page
        }
    }
}

extension ProjectParticipantsQuery: NumberedQuery {
    func total(of page: ProjectParticipantsPage) -> Int? { page.totalCount }
    func key(of item: ProjectParticipant) -> HashKey { HashKey(item.id.value) }
}

/// A page of a project's participants.
public struct ProjectParticipantsPage: ResultPage, Codable, Equatable {
    /// The type of the items on the page.
    public typealias Element = ProjectParticipant

    /// The participants of this page.
    public var participants: [ProjectParticipant]
    /// The number of participants on all pages; nil if the service does not report it.
    public var totalCount: Int?
    public var unreadable: [UnreadableItem]

    public var items: [ProjectParticipant] { participants }

    /// Creates a page for use in tests and previews.
    public init(participants: [ProjectParticipant], totalCount: Int?, unreadable: [UnreadableItem] = []) {
        self.participants = participants
        self.totalCount = totalCount
        self.unreadable = unreadable
    }

    private enum CodingKeys: String, CodingKey {
        case participants
        case totalCount = "totalParticipants"
    }
}

extension ProjectParticipantsPage: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        let list = try fields.required("participants").items(of: ProjectParticipant.self)
        participants = list.items
        unreadable = list.unreadable
        totalCount = fields.int("totalParticipants")
    }
}

/// A participant with the fields that the administration of a project sees.
public struct ProjectParticipant: Codable, Sendable, Equatable, Identifiable {
    /// The participant's identifier, internal to MyDataHelps.
    public var id: ParticipantInfo.ID
    /// The project's own identifier for the participant, in any format.
    public var participantIdentifier: String
    /// A secondary identifier, kept for older projects.
    public var secondaryIdentifier: String?
    /// The participant's identifier in links to surveys.
    public var linkIdentifier: String?
    /// Whether the participant is enrolled and has not withdrawn.
    public var isEnrolled: Bool?
    /// The date on which the participant enrolled.
    public var enrollmentDate: Date?
    /// The date on which the participant withdrew.
    public var withdrawDate: Date?
    /// The date on which the participant was added to the project.
    public var insertedDate: Date?
    /// The status of the invitation: `pending`, `declined`, `cancelled`, `approved`, or `notInvited`.
    public var invitationStatus: String?
    /// The participant's demographics. Any value may be missing.
    public var demographics: ParticipantDemographics
    /// The values of the project's custom fields, by name. A value that is not a string is encoded as JSON.
    public var customFields: [String: String]
    /// Whether the project's exports leave the participant out.
    public var isExcludedFromExport: Bool?
    /// The email address of the participant's account.
    public var accountEmail: String?
    /// The mobile phone number of the participant's account.
    public var accountMobilePhone: String?

    /// Creates a participant for use in tests and previews.
    public init(
        id: ParticipantInfo.ID, participantIdentifier: String,
        demographics: ParticipantDemographics = ParticipantDemographics(), customFields: [String: String] = [:]
    ) {
        self.id = id
        self.participantIdentifier = participantIdentifier
        self.demographics = demographics
        self.customFields = customFields
    }

    private enum CodingKeys: String, CodingKey {
        case id, participantIdentifier, secondaryIdentifier, linkIdentifier
        case isEnrolled = "enrolled"
        case enrollmentDate, withdrawDate, insertedDate, invitationStatus, demographics, customFields
        case isExcludedFromExport = "excludeFromExport"
        case accountEmail, accountMobilePhone
    }
}

extension ProjectParticipant: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ParticipantInfo.ID(try fields.required("id").lenientText())
        isEnrolled = fields.flag("enrolled")
        enrollmentDate = fields.optionalDate("enrollmentDate")
        withdrawDate = fields.optionalDate("withdrawDate")
        insertedDate = fields.optionalDate("insertedDate")
        invitationStatus = fields.anyText("invitationStatus")
        participantIdentifier = try fields.required("participantIdentifier").lenientText()
        secondaryIdentifier = fields.anyText("secondaryIdentifier")
        linkIdentifier = fields.anyText("linkIdentifier")
        demographics = fields.read(ParticipantDemographics.self, "demographics") ?? ParticipantDemographics()
        customFields = fields.texts("customFields")
        isExcludedFromExport = fields.flag("excludeFromExport")
        accountEmail = fields.anyText("accountEmail")
        accountMobilePhone = fields.anyText("accountMobilePhone")
    }
}
