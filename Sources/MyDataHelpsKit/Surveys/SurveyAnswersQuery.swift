import Foundation
import PledgeHTTP
import PledgeCoding

/// A query for the participant's answers to surveys.
public struct SurveyAnswersQuery: PagedByID, Equatable {
    /// The survey result that contains the answers; nil for all.
    public var surveyResultID: SurveyResult.ID?
    /// The survey of the answers; nil for all.
    public var surveyID: Survey.ID?
    /// The names of the surveys inside the project; nil for all.
    public var surveyNames: Set<String>?
    /// The date after which the questions were answered, exclusive.
    public var after: Date?
    /// The date before which the questions were answered, exclusive.
    public var before: Date?
    /// The date after which the answers were submitted, exclusive: use it to get new answers, which can arrive late.
    public var insertedAfter: Date?
    /// The date before which the answers were submitted, exclusive.
    public var insertedBefore: Date?
    /// The identifiers of the survey steps; nil for all.
    public var stepIdentifiers: Set<String>?
    /// The identifiers of the items within steps; nil for all.
    public var resultIdentifiers: Set<String>?
    /// The texts of the answers, any of which matches; nil for all.
    public var answers: Set<String>?
    public let limit: Int
    public var pageID: SurveyAnswersPage.PageID?

    /// Creates a query. A limit outside 1 to 100 is clamped to that range.
    public init(
        surveyResultID: SurveyResult.ID? = nil, surveyID: Survey.ID? = nil, surveyNames: Set<String>? = nil,
        after: Date? = nil, before: Date? = nil, insertedAfter: Date? = nil, insertedBefore: Date? = nil,
        stepIdentifiers: Set<String>? = nil, resultIdentifiers: Set<String>? = nil, answers: Set<String>? = nil,
        limit: Int = defaultLimit, pageID: SurveyAnswersPage.PageID? = nil
    ) {
        self.surveyResultID = surveyResultID
        self.surveyID = surveyID
        self.surveyNames = surveyNames
        self.after = after
        self.before = before
        self.insertedAfter = insertedAfter
        self.insertedBefore = insertedBefore
        self.stepIdentifiers = stepIdentifiers
        self.resultIdentifiers = resultIdentifiers
        self.answers = answers
        self.limit = Self.clamp(limit)
        self.pageID = pageID
    }

    /// The request: `GET api/v1/delegated/surveyanswers`.
    public var endpoint: Endpoint<SurveyAnswersPage> {
        list(
            "api/v1/delegated/surveyanswers",
            [
                "surveyResultID": surveyResultID?.value,
                "surveyID": surveyID?.value,
                "surveyName": surveyNames?.queryText,
                "after": after?.queryText,
                "before": before?.queryText,
                "insertedAfter": insertedAfter?.queryText,
                "insertedBefore": insertedBefore?.queryText,
                "stepIdentifier": stepIdentifiers?.queryText,
                "resultIdentifier": resultIdentifiers?.queryText,
                "answer": answers?.queryText,
            ])
    }
}

/// A page of survey answers.
public struct SurveyAnswersPage: ListPage, Equatable {
    @usableFromInline package static let list: StaticString = "surveyAnswers"
    public var content: PageContent<SurveyAnswer>
    /// The answers of this page.
    public var surveyAnswers: [SurveyAnswer] { content.items }

    public init(content: PageContent<SurveyAnswer>) { self.content = content }
}
