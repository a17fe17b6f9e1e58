import Foundation
import PledgeHTTP
import PledgeCoding

/// A question for what the participant answered in surveys.
public struct SurveyAnswersQuery: PagedByID, Equatable {
    /// Only what was answered in one go.
    public var surveyResultID: SurveyResult.ID?
    /// Only answers to this survey.
    public var surveyID: Survey.ID?
    /// Only answers to surveys with these names inside the project.
    public var surveyNames: Set<String>?
    /// Only what was answered after this moment.
    public var after: Date?
    /// Only what was answered before this moment.
    public var before: Date?
    /// Only what was submitted after this moment: the way to get what is new, since answers can come late.
    public var insertedAfter: Date?
    /// Only what was submitted before this moment.
    public var insertedBefore: Date?
    /// Only answers of these steps.
    public var stepIdentifiers: Set<String>?
    /// Only answers of these items.
    public var resultIdentifiers: Set<String>?
    /// Only answers with one of these texts.
    public var answers: Set<String>?
    /// How many answers are on a page at most, 1 to 100.
    public let limit: Int
    /// Which page; nil for the first.
    public var pageID: SurveyAnswersPage.PageID?

    /// A question. A limit beyond 1 to 100 is taken as the nearest of them.
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
}

/// A page of answers.
public struct SurveyAnswersPage: ResultPageWithID, Equatable {
    /// What is on it.
    public var content: PageContent<SurveyAnswer>
    /// The answers of this page.
    public var surveyAnswers: [SurveyAnswer] { content.items }

    /// Makes a page by hand, for tests and previews.
    public init(content: PageContent<SurveyAnswer>) { self.content = content }
}

extension SurveyAnswersPage: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        content = try source.page("surveyAnswers")
    }
}
