import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ParticipantSession {
    /// Fetches a page of the surveys that are assigned to the participant. `GET api/v1/delegated/surveytasks`
    public func querySurveyTasks(_ query: SurveyTaskQuery) -> Promise<SurveyTaskResultPage> { page(query) }
    public func querySurveyTasks(_ query: SurveyTaskQuery) async throws(MyDataHelpsError) -> SurveyTaskResultPage {
        try await page(query)
    }
    public func querySurveyTasks(_ query: SurveyTaskQuery, completion: @escaping Completion<SurveyTaskResultPage>) {
        page(query, completion: completion)
    }

    /// Fetches a page of the participant's answers to surveys. `GET api/v1/delegated/surveyanswers`
    public func querySurveyAnswers(_ query: SurveyAnswersQuery) -> Promise<SurveyAnswersPage> { page(query) }
    public func querySurveyAnswers(_ query: SurveyAnswersQuery) async throws(MyDataHelpsError) -> SurveyAnswersPage {
        try await page(query)
    }
    public func querySurveyAnswers(_ query: SurveyAnswersQuery, completion: @escaping Completion<SurveyAnswersPage>) {
        page(query, completion: completion)
    }

    /// Permanently deletes a survey result with all its answers. `DELETE api/v1/delegated/surveyresults/<id>`
    ///
    /// This is possible only for surveys that are configured to allow it. If the identifier is not valid, the call
    /// fails with ``MyDataHelpsError/encodingError(_:)`` and sends nothing.
    ///
    /// The kit doesn't repeat the request if the service may have received it. If it is unclear whether the result was
    /// deleted, query the answers.
    @available(*, noasync, message: "await it in an async function; at a script's top level, it is a promise")
    public func deleteSurveyResult(_ surveyResultID: SurveyResult.ID) -> Promise<Void> {
        call(try .deleteSurveyResult(surveyResultID))
    }
    public func deleteSurveyResult(_ surveyResultID: SurveyResult.ID) async throws(MyDataHelpsError) {
        try await value(of: call(try .deleteSurveyResult(surveyResultID)))
    }
    public func deleteSurveyResult(surveyResultID: SurveyResult.ID, completion: @escaping Completion<Void>) {
        deliver(call(try .deleteSurveyResult(surveyResultID)), to: completion)
    }
    public func deleteSurveyResult(surveyResultID: String, completion: @escaping Completion<Void>) {
        deleteSurveyResult(surveyResultID: SurveyResult.ID(surveyResultID), completion: completion)
    }
}

extension Endpoint where Response == Void {
    /// Returns the endpoint that deletes a survey result. It is not repeatable: if the first attempt succeeds, a second
    /// attempt doesn't find the result.
    static func deleteSurveyResult(_ id: SurveyResult.ID) throws -> Endpoint {
        guard let uuid = UUID(uuidString: id.value) else {
            throw FailureReason("“\(id)” is not the identifier of a survey result: use SurveyAnswer.surveyResultID")
        }
        return Endpoint(.delete, "api/v1/delegated/surveyresults/\(uuid.uuidString)", isRepeatable: false)
    }
}

/// A query for the surveys that are assigned to the participant.
public struct SurveyTaskQuery: PagedByID, Equatable {
    /// The order of tasks by the date on which they were assigned.
    public enum SortOrder: String, Codable, Sendable, CaseIterable, QueryValue {
        /// The oldest tasks come first.
        case dateAscending = "Ascending"
        /// The newest tasks come first. This is the service's default.
        case dateDescending = "Descending"
    }

    /// The statuses of the tasks; nil for all.
    public var statuses: Set<SurveyTaskStatus>?
    /// The survey that the tasks belong to; nil for all surveys.
    public var surveyID: Survey.ID?
    /// The names that the surveys have inside the project; nil for all surveys.
    public var surveyNames: Set<String>?
    /// The task's identifier in links to tasks; nil for all tasks. The service may no longer support this filter.
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
                "sortOrder": sortOrder,
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

/// A survey that is assigned to the participant.
public struct SurveyTask: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a task.
    public typealias ID = ScopedIdentifier<SurveyTask, String>

    /// The identifier of the task.
    public var id: ID
    /// The identifier of the assigned survey.
    public var surveyID: Survey.ID
    /// The name of the survey inside the project.
    public var surveyName: String
    /// The display name of the survey.
    public var surveyDisplayName: String
    /// The description of the survey. It may be empty.
    public var surveyDescription: String
    /// The start date. The vendor's documents disagree on its meaning: it is either the start of the task, or the time
    /// at which the participant began to work on the task.
    public var startDate: Date?
    /// The UTC offset in seconds that the service sent with ``startDate``; nil if the service sent no such date.
    @Uncompared package var startOffset: Int? = nil
    /// The end date. The vendor's documents disagree on its meaning: it is either the end of the task, or the time at
    /// which the participant finished the work on the task.
    public var endDate: Date?
    /// The UTC offset in seconds that the service sent with ``endDate``; nil if the service sent no such date.
    @Uncompared package var endOffset: Int? = nil
    /// The completion status of the task.
    public var status: SurveyTaskStatus
    /// Whether the participant has begun the survey, and the service has saved the answers so far.
    public var hasSavedProgress: Bool
    /// The date on which the task is due.
    public var dueDate: Date?
    /// The UTC offset in seconds that the service sent with ``dueDate``; nil if the service sent no such date.
    @Uncompared package var dueOffset: Int? = nil
    /// The date on which the task was assigned.
    public var insertedDate: Date
    /// The date on which the task last changed.
    public var modifiedDate: Date
    /// The task's identifier in links to tasks; nil if the service does not send it.
    public var linkIdentifier: String?

    /// Creates a task for use in tests and previews.
    public init(
        id: ID, surveyID: Survey.ID, surveyName: String, surveyDisplayName: String? = nil,
        surveyDescription: String = "", startDate: Date? = nil, endDate: Date? = nil,
        status: SurveyTaskStatus = .incomplete, hasSavedProgress: Bool = false, dueDate: Date? = nil,
        insertedDate: Date, modifiedDate: Date? = nil, linkIdentifier: String? = nil
    ) {
        self.id = id
        self.surveyID = surveyID
        self.surveyName = surveyName
        self.surveyDisplayName = surveyDisplayName ?? surveyName
        self.surveyDescription = surveyDescription
        self.startDate = startDate
        self.endDate = endDate
        self.status = status
        self.hasSavedProgress = hasSavedProgress
        self.dueDate = dueDate
        self.insertedDate = insertedDate
        self.modifiedDate = modifiedDate ?? insertedDate
        self.linkIdentifier = linkIdentifier
    }
}

/// The completion status of a task.
public struct SurveyTaskStatus: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The survey is not yet complete.
    public static let incomplete = SurveyTaskStatus(rawValue: "incomplete")
    /// The survey has been completed.
    public static let complete = SurveyTaskStatus(rawValue: "complete")
    /// The task can no longer be completed.
    public static let closed = SurveyTaskStatus(rawValue: "closed")
}

extension SurveyTask: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        surveyID = Survey.ID(try fields.required("surveyID").lenientText())
        surveyName = try fields.required("surveyName").lenientText()
        surveyDisplayName = fields.text("surveyDisplayName") ?? surveyName
        surveyDescription = fields.text("surveyDescription") ?? ""
        if let time = fields.optionalTimestamp("startDate") { (startDate, startOffset) = (time.date, time.offset) }
        if let time = fields.optionalTimestamp("endDate") { (endDate, endOffset) = (time.date, time.offset) }
        status = try fields.required("status").word()
        hasSavedProgress = fields.flag("hasSavedProgress") ?? false
        if let time = fields.optionalTimestamp("dueDate") { (dueDate, dueOffset) = (time.date, time.offset) }
        insertedDate = try fields.date("insertedDate")
        modifiedDate = try fields.date("modifiedDate")
        linkIdentifier = fields.text("linkIdentifier")
    }
}

/// A query for the participant's answers to surveys.
public struct SurveyAnswersQuery: PagedByID, Equatable {
    /// The survey result that contains the answers; nil for all survey results.
    public var surveyResultID: SurveyResult.ID?
    /// The survey that the answers belong to; nil for all surveys.
    public var surveyID: Survey.ID?
    /// The names that the surveys have inside the project; nil for all surveys.
    public var surveyNames: Set<String>?
    /// The lower limit for the date on which a question was answered, exclusive; nil for no limit.
    public var after: Date?
    /// The upper limit for the date on which a question was answered, exclusive; nil for no limit.
    public var before: Date?
    /// The lower limit for the date on which an answer was submitted, exclusive; nil for no limit. Use this limit to
    /// get new answers, because an answer may arrive long after the question was answered.
    public var insertedAfter: Date?
    /// The upper limit for the date on which an answer was submitted, exclusive; nil for no limit.
    public var insertedBefore: Date?
    /// The identifiers of the survey steps; nil for all.
    public var stepIdentifiers: Set<String>?
    /// The identifiers of the items within survey steps; nil for all.
    public var resultIdentifiers: Set<String>?
    /// The texts of answers to include. An answer is included if it matches one of these texts; nil for all answers.
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

/// A participant's answer to one question of a survey.
public struct SurveyAnswer: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for an answer.
    public typealias ID = ScopedIdentifier<SurveyAnswer, String>

    /// The identifier of the answer.
    public var id: ID
    /// The identifier of the survey result that contains the answer.
    public var surveyResultID: SurveyResult.ID
    /// The identifier of the survey.
    public var surveyID: Survey.ID
    /// The version of the survey.
    public var surveyVersion: Int
    /// The identifier of the task that the answer belongs to; nil if the survey was not taken for a task.
    public var taskID: SurveyTask.ID?
    /// The name of the survey inside the project.
    public var surveyName: String
    /// The display name of the survey.
    public var surveyDisplayName: String
    /// The date on which the question was answered.
    public var date: Date?
    /// The UTC offset in seconds that the service sent with ``date``; nil if the service sent no such date.
    @Uncompared package var dateOffset: Int? = nil
    /// The identifier of the survey step.
    public var stepIdentifier: String
    /// The identifier of the item within the step. Only a form has several items. In any other step, it is the
    /// identifier of the step itself.
    public var resultIdentifier: String
    /// The texts of the answer. A multiple-choice question may have several, and the list may be empty.
    public var answers: [String]
    /// The date on which the answer was submitted.
    public var insertedDate: Date
    /// The project's name for the occasion on which the survey was taken.
    public var event: String?
    /// The schedule that the survey belongs to, as the service sent it.
    public var schedule: JSONValue?

    /// Creates an answer for use in tests and previews.
    public init(
        id: ID, surveyResultID: SurveyResult.ID, surveyID: Survey.ID, surveyVersion: Int = 1,
        taskID: SurveyTask.ID? = nil, surveyName: String, surveyDisplayName: String? = nil, date: Date? = nil,
        stepIdentifier: String, resultIdentifier: String? = nil, answers: [String], insertedDate: Date
    ) {
        self.id = id
        self.surveyResultID = surveyResultID
        self.surveyID = surveyID
        self.surveyVersion = surveyVersion
        self.taskID = taskID
        self.surveyName = surveyName
        self.surveyDisplayName = surveyDisplayName ?? surveyName
        self.date = date
        self.stepIdentifier = stepIdentifier
        self.resultIdentifier = resultIdentifier ?? stepIdentifier
        self.answers = answers
        self.insertedDate = insertedDate
    }
}

extension SurveyAnswer: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        surveyResultID = SurveyResult.ID(try fields.required("surveyResultID").lenientText())
        surveyID = Survey.ID(try fields.required("surveyID").lenientText())
        surveyVersion =
            fields.int("surveyVersion") ?? 0
        taskID = fields.text("taskID").map { .init($0) }
        surveyName = try fields.required("surveyName").lenientText()
        surveyDisplayName = fields.text("surveyDisplayName") ?? surveyName
        if let time = fields.optionalTimestamp("date") { (date, dateOffset) = (time.date, time.offset) }
        stepIdentifier = try fields.required("stepIdentifier").lenientText()
        resultIdentifier = fields.text("resultIdentifier") ?? stepIdentifier
        var texts: [String?] = []
        try fields.present("answers")?.forEach { (_, item) throws(TapeFailure) in texts.append(try item.anyText()) }
        answers = texts.compactMap { $0 }
        insertedDate = try fields.date("insertedDate")
        event = fields.anyText("event")
        schedule = fields.read(JSONValue.self, "schedule")
    }
}
