import PledgeCoding
import PledgeHTTP

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
        (next.pageNumber, next.progress) = (number, progress)
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
        (participants, unreadable) = (list.items, list.unreadable)
        totalCount = (try? fields.int("totalParticipants")) ?? -1
    }
}
