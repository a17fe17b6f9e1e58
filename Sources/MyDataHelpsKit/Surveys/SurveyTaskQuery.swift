import Foundation
import PledgeHTTP
import PledgeCoding

/// A query for the surveys assigned to the participant.
public struct SurveyTaskQuery: PagedByID, Equatable {
    /// The order of tasks by the date they were assigned.
    public enum SortOrder: String, Codable, Sendable, CaseIterable {
        /// The oldest tasks come first.
        case dateAscending = "Ascending"
        /// The newest tasks come first, which is the service's default.
        case dateDescending = "Descending"
    }

    /// The statuses of the tasks; nil for all.
    public var statuses: Set<SurveyTaskStatus>?
    /// The survey of the tasks; nil for all.
    public var surveyID: Survey.ID?
    /// The names of the surveys inside the project; nil for all.
    public var surveyNames: Set<String>?
    /// The link identifier of the task, if the service still supports it.
    public var linkIdentifier: String?
    /// The order of the tasks; nil for the service's default.
    public var sortOrder: SortOrder?
    public let limit: Int
    public var pageID: SurveyTaskResultPage.PageID?

    /// Creates a query. A limit outside 1 to 100 is clamped to that range.
    public init(
        statuses: Set<SurveyTaskStatus>? = nil, surveyID: Survey.ID? = nil, surveyNames: Set<String>? = nil,
        sortOrder: SortOrder? = nil, limit: Int = defaultLimit, pageID: SurveyTaskResultPage.PageID? = nil
    ) {
        self.statuses = statuses
        self.surveyID = surveyID
        self.surveyNames = surveyNames
        self.sortOrder = sortOrder
        self.limit = Self.clamp(limit)
        self.pageID = pageID
    }

    /// The request: `GET api/v1/delegated/surveytasks`.
    public var endpoint: Endpoint<SurveyTaskResultPage> {
        list(
            "api/v1/delegated/surveytasks",
            [
                "status": statuses.flatMap { Set($0.map(\.rawValue)).queryText },
                "surveyID": surveyID?.value,
                "surveyName": surveyNames?.queryText,
                "linkIdentifier": linkIdentifier,
                "sortOrder": sortOrder?.rawValue,
            ])
    }
}

/// A page of survey tasks.
public struct SurveyTaskResultPage: ListPage, Equatable {
    @usableFromInline package static let list: StaticString = "surveyTasks"
    public var content: PageContent<SurveyTask>
    /// The tasks of this page.
    public var surveyTasks: [SurveyTask] { content.items }

    public init(content: PageContent<SurveyTask>) { self.content = content }
}
