import Foundation
import PledgeCoding

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
    /// The identifier of the task that the answer belongs to; nil if there was none.
    public var taskID: SurveyTask.ID?
    /// The name of the survey inside the project.
    public var surveyName: String
    /// The display name of the survey.
    public var surveyDisplayName: String
    /// The date the question was answered.
    public var date: Date?
    /// The UTC offset in the text of ``date``, in seconds; nil if none was decoded.
    @Uncompared package var dateOffset: Int? = nil
    /// The identifier of the survey step.
    public var stepIdentifier: String
    /// The identifier of the item within the step; that of the step itself unless it is a form.
    public var resultIdentifier: String
    /// The answers: none, one, or several for multiple choice.
    public var answers: [String]
    /// The date the answer was submitted.
    public var insertedDate: Date
    /// The project's name for the occasion on which the survey was taken.
    public var event: String?
    /// The schedule by which the survey was due, as sent by the service.
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
            fields.optional("surveyVersion") { (value) throws(TapeFailure) in try value.lenientInt() } ?? 0
        taskID = (try? fields.text("taskID")).map { .init($0) }
        surveyName = try fields.required("surveyName").lenientText()
        surveyDisplayName = (try? fields.text("surveyDisplayName")) ?? surveyName
        if let time = fields.optionalTimestamp("date") { (date, dateOffset) = (time.date, time.offset) }
        stepIdentifier = try fields.required("stepIdentifier").lenientText()
        resultIdentifier = (try? fields.text("resultIdentifier")) ?? stepIdentifier
        var texts: [String?] = []
        try fields.present("answers")?.forEach { (_, item) throws(TapeFailure) in texts.append(try item.anyText()) }
        answers = texts.compactMap { $0 }
        insertedDate = try fields.date("insertedDate")
        event = try? fields.anyText("event")
        schedule = try? fields.read(JSONValue.self, "schedule")
    }
}
