import Foundation
import PledgeCoding

/// A survey assigned to the participant.
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
    /// The description of the survey; may be empty.
    public var surveyDescription: String
    /// The start date. The vendor's documents disagree on whether it is that of the task or of the work on it.
    public var startDate: Date?
    /// The UTC offset in the text of ``startDate``, in seconds; nil if none was decoded.
    @Uncompared package var startOffset: Int? = nil
    /// The end date. The vendor's documents disagree on whether it is that of the task or of the work on it.
    public var endDate: Date?
    /// The UTC offset in the text of ``endDate``, in seconds; nil if none was decoded.
    @Uncompared package var endOffset: Int? = nil
    /// The completion status of the task.
    public var status: SurveyTaskStatus
    /// Whether answers from an earlier start are saved.
    public var hasSavedProgress: Bool
    /// The date the task is due.
    public var dueDate: Date?
    /// The UTC offset in the text of ``dueDate``, in seconds; nil if none was decoded.
    @Uncompared package var dueOffset: Int? = nil
    /// The date the task was assigned.
    public var insertedDate: Date
    /// The date the task last changed.
    public var modifiedDate: Date
    /// The task's identifier in links to tasks; nil if the service no longer sends it.
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
        surveyDisplayName = (try? fields.text("surveyDisplayName")) ?? surveyName
        surveyDescription = (try? fields.text("surveyDescription")) ?? ""
        if let time = fields.optionalTimestamp("startDate") { (startDate, startOffset) = (time.date, time.offset) }
        if let time = fields.optionalTimestamp("endDate") { (endDate, endOffset) = (time.date, time.offset) }
        status = try fields.required("status").word()
        hasSavedProgress = fields.flag("hasSavedProgress") ?? false
        if let time = fields.optionalTimestamp("dueDate") { (dueDate, dueOffset) = (time.date, time.offset) }
        insertedDate = try fields.date("insertedDate")
        modifiedDate = try fields.date("modifiedDate")
        linkIdentifier = try? fields.text("linkIdentifier")
    }
}
