import Foundation
import PledgeModels

/// What a participant answered to one question of a survey.
public struct SurveyAnswer: Decodable, Sendable, Equatable, Identifiable {
    /// Identifies an answer.
    public typealias ID = ScopedIdentifier<SurveyAnswer, String>

    /// The answer's id.
    public var id: ID
    /// What it was answered together with.
    public var surveyResultID: SurveyResult.ID
    /// The survey.
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
    /// The step of the survey.
    public var stepIdentifier: String
    /// The item of the step; the step itself where it is no form.
    public var resultIdentifier: String
    /// The answers: none, one, or several of a multiple choice.
    public var answers: [String]
    /// When it was submitted.
    public var insertedDate: Date

    /// An answer, as for tests and previews.
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

    private enum CodingKeys: String, CodingKey {
        case id, surveyResultID, surveyID, surveyVersion, taskID, surveyName, surveyDisplayName, date
        case stepIdentifier, resultIdentifier, answers, insertedDate
    }

    /// Reads an answer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ID.self, forKey: .id)
        surveyResultID = try container.decode(SurveyResult.ID.self, forKey: .surveyResultID)
        surveyID = try container.decode(Survey.ID.self, forKey: .surveyID)
        surveyVersion = try container.decodeIfPresent(Int.self, forKey: .surveyVersion) ?? 0
        taskID = try container.decodeIfPresent(SurveyTask.ID.self, forKey: .taskID)
        surveyName = try container.decode(String.self, forKey: .surveyName)
        surveyDisplayName = try container.text(.surveyDisplayName) ?? surveyName
        date = try container.optionalDate(.date)
        stepIdentifier = try container.decode(String.self, forKey: .stepIdentifier)
        resultIdentifier = try container.text(.resultIdentifier) ?? stepIdentifier
        answers = try container.decodeIfPresent([String].self, forKey: .answers) ?? []
        insertedDate = try container.date(.insertedDate)
    }
}
