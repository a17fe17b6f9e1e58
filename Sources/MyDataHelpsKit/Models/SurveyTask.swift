import Foundation

/// A survey that was assigned to the participant.
public struct SurveyTask: Decodable, Sendable, Equatable, Identifiable {
    /// Identifies a task.
    public typealias ID = ScopedIdentifier<SurveyTask, String>

    /// The task's id.
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
    /// An end date. The vendor's documents disagree whether of the task or of the work on it.
    public var endDate: Date?
    /// Whether it is done.
    public var status: SurveyTaskStatus
    /// Whether some answers are kept from an earlier start.
    public var hasSavedProgress: Bool
    /// When it should be done.
    public var dueDate: Date?
    /// When it was assigned.
    public var insertedDate: Date
    /// When it last changed.
    public var modifiedDate: Date
    /// What addresses of tasks by link hold; nil where the service no longer sends it.
    public var linkIdentifier: String?

    /// A task, as for tests and previews.
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

    private enum CodingKeys: String, CodingKey {
        case id, surveyID, surveyName, surveyDisplayName, surveyDescription, startDate, endDate, status
        case hasSavedProgress, dueDate, insertedDate, modifiedDate, linkIdentifier
    }

    /// Reads a task.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ID.self, forKey: .id)
        surveyID = try container.decode(Survey.ID.self, forKey: .surveyID)
        surveyName = try container.decode(String.self, forKey: .surveyName)
        surveyDisplayName = try container.text(.surveyDisplayName) ?? surveyName
        surveyDescription = try container.text(.surveyDescription) ?? ""
        startDate = try container.optionalDate(.startDate)
        endDate = try container.optionalDate(.endDate)
        status = try container.decode(SurveyTaskStatus.self, forKey: .status)
        hasSavedProgress = try container.flag(.hasSavedProgress) ?? false
        dueDate = try container.optionalDate(.dueDate)
        insertedDate = try container.date(.insertedDate)
        modifiedDate = try container.date(.modifiedDate)
        linkIdentifier = try container.text(.linkIdentifier)
    }
}

/// Whether a task is done.
public struct SurveyTaskStatus: ServiceWord {
    /// The service's word.
    public let rawValue: String

    /// Any status.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Still to do.
    public static let incomplete = SurveyTaskStatus(rawValue: "incomplete")
    /// Done.
    public static let complete = SurveyTaskStatus(rawValue: "complete")
    /// No longer to be done.
    public static let closed = SurveyTaskStatus(rawValue: "closed")
}
