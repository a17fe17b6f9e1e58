import Foundation
import PledgeCoding

/// What a participant answered to one question of a survey.
public struct SurveyAnswer: Sendable, Equatable, Identifiable {
    /// Tells an answer from every other.
    public typealias ID = ScopedIdentifier<SurveyAnswer, String>

    /// Tells the answer from every other.
    public var id: ID
    /// What it was answered together with.
    public var surveyResultID: SurveyResult.ID
    /// The survey that was answered.
    public var surveyID: Survey.ID
    /// The version of the survey.
    public var surveyVersion: Int
    /// The task it was answered for; nil if there was none.
    public var taskID: SurveyTask.ID?
    /// What the survey is called inside the project.
    public var surveyName: String
    /// What the survey is called for people.
    public var surveyDisplayName: String
    /// When it was answered.
    public var date: Date?
    /// The offset from UTC that ``date`` was written with, in seconds; nil where none was read.
    @Uncompared package var dateOffset: Int? = nil
    /// The step of the survey.
    public var stepIdentifier: String
    /// The item of the step; the step itself where it is no form.
    public var resultIdentifier: String
    /// The answers: none, one, or several of a multiple choice.
    public var answers: [String]
    /// When it was submitted.
    public var insertedDate: Date

    /// Makes an answer by hand, for tests and previews.
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
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").text())
        surveyResultID = SurveyResult.ID(try fields.required("surveyResultID").text())
        surveyID = Survey.ID(try fields.required("surveyID").repeatedText())
        surveyVersion = try fields.int("surveyVersion") ?? 0
        taskID = try fields.text("taskID").map { .init($0) }
        surveyName = try fields.required("surveyName").repeatedText()
        surveyDisplayName = try fields.repeatedText("surveyDisplayName") ?? surveyName
        if let time = try fields.optionalTimestamp("date") { (date, dateOffset) = (time.date, time.offset) }
        stepIdentifier = try fields.required("stepIdentifier").repeatedText()
        resultIdentifier = try fields.repeatedText("resultIdentifier") ?? stepIdentifier
        answers = try fields.list("answers") { (item) throws(Source.Failure) in try item.text() }
        insertedDate = try fields.date("insertedDate")
    }
}
