import Foundation
import PledgeCoding

/// A survey that was assigned to the participant.
public struct SurveyTask: Sendable, Equatable, Identifiable {
    /// Tells a task from every other.
    public typealias ID = ScopedIdentifier<SurveyTask, String>

    /// Tells the task from every other.
    public var id: ID
    /// The survey to take.
    public var surveyID: Survey.ID
    /// What the survey is called inside the project.
    public var surveyName: String
    /// What the survey is called for people.
    public var surveyDisplayName: String
    /// What the survey is about; may be empty.
    public var surveyDescription: String
    /// A start date. The vendor's documents disagree whether of the task or of the work on it.
    public var startDate: Date?
    /// The offset from UTC that ``startDate`` was written with, in seconds; nil where none was read.
    @Uncompared package var startOffset: Int? = nil
    /// An end date. The vendor's documents disagree whether of the task or of the work on it.
    public var endDate: Date?
    /// The offset from UTC that ``endDate`` was written with, in seconds; nil where none was read.
    @Uncompared package var endOffset: Int? = nil
    /// Whether it is done.
    public var status: SurveyTaskStatus
    /// Whether some answers are kept from an earlier start.
    public var hasSavedProgress: Bool
    /// When it should be done.
    public var dueDate: Date?
    /// The offset from UTC that ``dueDate`` was written with, in seconds; nil where none was read.
    @Uncompared package var dueOffset: Int? = nil
    /// When it was assigned.
    public var insertedDate: Date
    /// When it last changed.
    public var modifiedDate: Date
    /// What addresses of tasks by link hold; nil where the service no longer sends it.
    public var linkIdentifier: String?

    /// Makes a task by hand, for tests and previews.
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

/// Whether a task is done.
public struct SurveyTaskStatus: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The survey is still to be answered.
    public static let incomplete = SurveyTaskStatus(rawValue: "incomplete")
    /// The survey has been answered.
    public static let complete = SurveyTaskStatus(rawValue: "complete")
    /// No longer to be done.
    public static let closed = SurveyTaskStatus(rawValue: "closed")
}

extension SurveyTask: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").text())
        surveyID = Survey.ID(try fields.required("surveyID").repeatedText())
        surveyName = try fields.required("surveyName").repeatedText()
        surveyDisplayName = try fields.repeatedText("surveyDisplayName") ?? surveyName
        surveyDescription = try fields.repeatedText("surveyDescription") ?? ""
        if let time = try fields.optionalTimestamp("startDate") { (startDate, startOffset) = (time.date, time.offset) }
        if let time = try fields.optionalTimestamp("endDate") { (endDate, endOffset) = (time.date, time.offset) }
        status = try fields.required("status").word()
        hasSavedProgress = try fields.flag("hasSavedProgress") ?? false
        if let time = try fields.optionalTimestamp("dueDate") { (dueDate, dueOffset) = (time.date, time.offset) }
        insertedDate = try fields.date("insertedDate")
        modifiedDate = try fields.date("modifiedDate")
        linkIdentifier = try fields.text("linkIdentifier")
    }
}
