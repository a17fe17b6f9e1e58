import Foundation
import PledgeCoding

/// The participant represented by the access token.
public struct ParticipantInfo: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a participant, internal to MyDataHelps.
    public typealias ID = ScopedIdentifier<ParticipantInfo, String>

    /// The participant's identifier, internal to MyDataHelps.
    public var participantID: ID
    /// The identifier of the participant's project.
    public var projectID: Project.ID
    /// The project's own identifier for the participant, in any format.
    public var participantIdentifier: String
    /// A secondary identifier, kept for older projects.
    public var secondaryIdentifier: String?
    /// The participant's identifier in links to surveys; nil if the service no longer sends it.
    public var linkIdentifier: String?
    /// The participant's demographics, as far as provided.
    public var demographics: ParticipantDemographics
    /// The project's custom fields. Values other than strings are encoded as JSON.
    public var customFields: [String: String]
    /// The date the participant enrolled.
    public var enrollmentDate: Date?

    /// The participant's identifier, internal to MyDataHelps.
    public var id: ID { participantID }

    /// Creates a participant for use in tests and previews.
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

/// The gender stated by a participant.
public struct ParticipantGender: ServiceWord {
    public let rawValue: String

    /// Creates a gender from any letter or word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The participant stated female (`F`).
    public static let female = ParticipantGender(rawValue: "F")
    /// The participant stated male (`M`).
    public static let male = ParticipantGender(rawValue: "M")
    /// The participant stated another gender (`O`).
    public static let other = ParticipantGender(rawValue: "O")
}

extension ParticipantInfo: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        participantID = ID(try fields.required("participantID").lenientText())
        projectID = Project.ID(try fields.required("projectID").lenientText())
        participantIdentifier = try fields.required("participantIdentifier").lenientText()
        secondaryIdentifier = try fields.anyText("secondaryIdentifier")
        linkIdentifier = try? fields.text("linkIdentifier")
        demographics = fields.optional(ParticipantDemographics.self, "demographics") ?? ParticipantDemographics()
        customFields = fields.texts("customFields")
        enrollmentDate = fields.optionalDate("enrollmentDate")
    }
}
