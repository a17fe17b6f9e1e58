import Foundation
import PledgeHTTP
import PledgeCoding

/// A question for the surveys assigned to the participant.
public struct SurveyTaskQuery: PagedByID, Equatable {
    /// By when they were assigned.
    public enum SortOrder: String, Codable, Sendable, CaseIterable {
        /// The oldest tasks come first.
        case dateAscending = "Ascending"
        /// The newest first, which is what the service does unless asked otherwise.
        case dateDescending = "Descending"
    }

    /// Only those that stand like this; nil for all.
    public var statuses: Set<SurveyTaskStatus>?
    /// Only those of this survey.
    public var surveyID: Survey.ID?
    /// Only those of surveys with these names inside the project.
    public var surveyNames: Set<String>?
    /// Only the one with this link identifier, where the service still knows them.
    public var linkIdentifier: String?
    /// In which order; nil leaves it to the service.
    public var sortOrder: SortOrder?
    /// How many tasks are on a page at most, 1 to 100.
    public let limit: Int
    /// Which page; nil for the first.
    public var pageID: SurveyTaskResultPage.PageID?

    /// A question. A limit beyond 1 to 100 is taken as the nearest of them.
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
}

/// A page of tasks.
public struct SurveyTaskResultPage: ResultPageWithID, Equatable {
    /// What is on it.
    public var content: PageContent<SurveyTask>
    /// The tasks of this page.
    public var surveyTasks: [SurveyTask] { content.items }

    /// Makes a page by hand, for tests and previews.
    public init(content: PageContent<SurveyTask>) { self.content = content }
}

extension SurveyTaskResultPage: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        content = try source.page("surveyTasks")
    }
}
