import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ServiceAccount {
    /// Fetches a page of a project's list with the account's own token: of its participants
    /// (``ProjectParticipantsQuery``), or of their device data (``DeviceDataV2Query``).
    ///
    /// To read the other data of a participant, create a session with ``tokens(for:scopes:)``.
    public func page<Query: PagedQuery>(_ query: Query) -> Promise<Query.Page> {
        send(query.endpoint).map(on: nil, \.value)
    }

    /// Returns all pages of a project's list, starting with the query's; see ``page(_:)`` and <doc:Paging>. The account's
    /// token is renewed as often as a long list requires.
    public func pages<Query: PagedQuery>(_ query: Query) -> PageSequence<Query> {
        client.pages(query, from: endpoints)
    }

    /// Fetches the participant with this identifier in the project.
    /// `GET api/v1/administration/projects/<id>/participants/<identifier>`
    ///
    /// Rejects with ``MyDataHelpsError/encodingError(_:)`` for an empty identifier, or "." or "..", which would lead to
    /// another resource.
    public func participant(_ participantIdentifier: String, in project: Project.ID) -> Promise<ProjectParticipant> {
        let (project, identifier) = (PathSegments.encoded(project.value), PathSegments.encoded(participantIdentifier))
        let path = "api/v1/administration/projects/\(project)/participants/\(identifier)"
        return send(Endpoint<ProjectParticipant>(.get, path)).map(on: nil, \.value)
    }

    /// Sends any endpoint of the administration API, such as one that this kit has no call for, with the account's own
    /// token. Its path is relative to the client's base URL.
    public func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Decoded<Response>> {
        client.send(endpoint, from: endpoints)
    }
}

/// A query for the participants of a project, in the order in which they were added.
public struct ProjectParticipantsQuery: PagedQuery, Equatable {
    /// The default page size, which is also the largest known to work.
    public static let defaultLimit = 200

    /// The project of the participants.
    public var project: Project.ID
    /// A part of the identifier, the name, or the email address; nil for all participants.
    public var search: String?
    /// The identifier of a segment of the project; nil for all participants.
    public var segmentID: String?
    /// Whether those added first come first; nil for the service's default.
    public var isAscending: Bool?
    public let limit: Int
    /// The page number, starting at 0.
    public private(set) var pageNumber: Int
    /// What has come before this page; nil if the first ones were skipped.
    private var progress: PageProgress?

    /// Creates a query. A limit outside 1 to 200 is clamped to that range, and a negative page number to 0.
    public init(
        project: Project.ID, search: String? = nil, segmentID: String? = nil, isAscending: Bool? = nil,
        limit: Int = defaultLimit, pageNumber: Int = 0
    ) {
        self.project = project
        self.search = search
        self.segmentID = segmentID
        self.isAscending = isAscending
        self.limit = Self.clamp(limit)
        self.pageNumber = max(pageNumber, 0)
        progress = pageNumber > 0 ? nil : PageProgress()
    }

    /// Returns the query for the next page, with the same filters; nil if this was the last page: the one with which as
    /// many participants have come as the service announces, or else an empty one.
    public func page(after page: ProjectParticipantsPage) -> ProjectParticipantsQuery? {
        let progress = progress?.adding(itemCount(of: page), of: page.totalCount)
        guard let number = number(after: pageNumber, of: page, progress) else { return nil }
        var next = self
        next.pageNumber = number
        next.progress = progress
        return next
    }

    /// The request: `GET api/v1/administration/projects/<id>/participants`.
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
            guard self.page(after: page) == nil else { return page }
            page.unreadable += [progress?.adding(itemCount(of: page), of: page.totalCount).missing].compactMap(\.self)
            return page
        }
    }
}

/// A page of a project's participants.
public struct ProjectParticipantsPage: ResultPage, Codable, Equatable {
    /// The type of the items on the page.
    public typealias Element = ProjectParticipant

    /// The participants of this page.
    public var participants: [ProjectParticipant]
    /// The number of participants on all pages; -1 if the service does not report it.
    public var totalCount: Int
    public var unreadable: [UnreadableItem]

    public var items: [ProjectParticipant] { participants }

    /// Creates a page for use in tests and previews.
    public init(participants: [ProjectParticipant], totalCount: Int, unreadable: [UnreadableItem] = []) {
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
        totalCount = (try? fields.int("totalParticipants")) ?? -1
    }
}

/// A participant as the administration of a project sees them.
public struct ProjectParticipant: Codable, Sendable, Equatable, Identifiable {
    /// The participant's identifier, internal to MyDataHelps.
    public var id: ParticipantInfo.ID
    /// The project's own identifier for the participant, in any format.
    public var participantIdentifier: String
    /// A secondary identifier, kept for older projects.
    public var secondaryIdentifier: String?
    /// The participant's identifier in links to surveys.
    public var linkIdentifier: String?
    /// Whether the participant is enrolled, and has not withdrawn.
    public var isEnrolled: Bool?
    /// The date the participant enrolled.
    public var enrollmentDate: Date?
    /// The date the participant withdrew.
    public var withdrawDate: Date?
    /// The date the participant was added to the project.
    public var insertedDate: Date?
    /// The status of the invitation: `pending`, `declined`, `cancelled`, `approved`, or `notInvited`.
    public var invitationStatus: String?
    /// The participant's demographics, as far as provided.
    public var demographics: ParticipantDemographics
    /// The project's custom fields. Values other than strings are encoded as JSON.
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
        invitationStatus = try fields.anyText("invitationStatus")
        participantIdentifier = try fields.required("participantIdentifier").lenientText()
        secondaryIdentifier = try fields.anyText("secondaryIdentifier")
        linkIdentifier = try fields.anyText("linkIdentifier")
        demographics = fields.optional(ParticipantDemographics.self, "demographics") ?? ParticipantDemographics()
        customFields = fields.texts("customFields")
        isExcludedFromExport = fields.flag("excludeFromExport")
        accountEmail = try fields.anyText("accountEmail")
        accountMobilePhone = try fields.anyText("accountMobilePhone")
    }
}
