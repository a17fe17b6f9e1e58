import Foundation
import PledgeCoding

/// The participant the token stands for.
public struct ParticipantInfo: Sendable, Equatable, Identifiable {
    /// Identifies a participant; internal to MyDataHelps.
    public typealias ID = ScopedIdentifier<ParticipantInfo, String>

    /// The id internal to MyDataHelps.
    public var participantID: ID
    /// The project the participant takes part in.
    public var projectID: Project.ID
    /// The project's own name for the participant: any text.
    public var participantIdentifier: String
    /// A second name, kept for older projects.
    public var secondaryIdentifier: String?
    /// What addresses of surveys by link hold; nil where the service no longer sends it.
    public var linkIdentifier: String?
    /// Who the participant is, as far as filled in.
    public var demographics: ParticipantDemographics
    /// The project's own fields. What is no text is written as JSON.
    public var customFields: [String: String]
    /// When the participant joined.
    public var enrollmentDate: Date?

    /// The id internal to MyDataHelps.
    public var id: ID { participantID }

    /// Makes a participant by hand, for tests and previews.
    public init(
        participantID: ID, projectID: Project.ID, participantIdentifier: String, secondaryIdentifier: String? = nil,
        linkIdentifier: String? = nil, demographics: ParticipantDemographics = ParticipantDemographics(),
        customFields: [String: String] = [:], enrollmentDate: Date? = nil
    ) {
        self.participantID = participantID
        self.projectID = projectID
        self.participantIdentifier = participantIdentifier
        self.secondaryIdentifier = secondaryIdentifier
        self.linkIdentifier = linkIdentifier
        self.demographics = demographics
        self.customFields = customFields
        self.enrollmentDate = enrollmentDate
    }
}

/// How a participant gave their gender.
public struct ParticipantGender: ServiceWord {
    public let rawValue: String

    /// Any letter or word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The participant stated female, `F`.
    public static let female = ParticipantGender(rawValue: "F")
    /// The participant stated male, `M`.
    public static let male = ParticipantGender(rawValue: "M")
    /// The participant stated another gender.
    public static let other = ParticipantGender(rawValue: "O")
}

extension ParticipantInfo: Readable {
    /// The three identifiers are required.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        participantID = ID(try fields.required("participantID").text())
        projectID = Project.ID(try fields.required("projectID").text())
        participantIdentifier = try fields.required("participantIdentifier").text()
        secondaryIdentifier = try fields.text("secondaryIdentifier")
        linkIdentifier = try fields.text("linkIdentifier")
        demographics = try fields.read(ParticipantDemographics.self, "demographics") ?? ParticipantDemographics()
        customFields = try fields.texts("customFields")
        enrollmentDate = try fields.optionalDate("enrollmentDate")
    }
}
