import Foundation
import PledgeCoding

/// A participant as the administration of a project sees them.
public struct ProjectParticipant: Codable, Sendable, Equatable, Identifiable {
    /// The participant's identifier, internal to MyDataHelps.
    public var id: ParticipantInfo.ID
    /// The project's own identifier for the participant, in any format.
    public var participantIdentifier: String
    /// A secondary identifier, kept for older projects.
    public var secondaryIdentifier: String?
    /// The participant's identifier in links to surveys.
    public var linkIdentifier: String?
    /// Whether the participant is enrolled, and has not withdrawn.
    public var isEnrolled: Bool?
    /// The date the participant enrolled.
    public var enrollmentDate: Date?
    /// The date the participant withdrew.
    public var withdrawDate: Date?
    /// The date the participant was added to the project.
    public var insertedDate: Date?
    /// The status of the invitation: `pending`, `declined`, `cancelled`, `approved`, or `notInvited`.
    public var invitationStatus: String?
    /// The participant's demographics, as far as provided.
    public var demographics: ParticipantDemographics
    /// The project's custom fields. Values other than strings are encoded as JSON.
    public var customFields: [String: String]
    /// Whether the project's exports leave the participant out.
    public var isExcludedFromExport: Bool?
    /// The email address of the participant's account.
    public var accountEmail: String?
    /// The mobile phone number of the participant's account.
    public var accountMobilePhone: String?

    /// Creates a participant for use in tests and previews.
    public init(
        id: ParticipantInfo.ID, participantIdentifier: String,
        demographics: ParticipantDemographics = ParticipantDemographics(), customFields: [String: String] = [:]
    ) {
        self.id = id
        self.participantIdentifier = participantIdentifier
        self.demographics = demographics
        self.customFields = customFields
    }

    private enum CodingKeys: String, CodingKey {
        case id, participantIdentifier, secondaryIdentifier, linkIdentifier
        case isEnrolled = "enrolled"
        case enrollmentDate, withdrawDate, insertedDate, invitationStatus, demographics, customFields
        case isExcludedFromExport = "excludeFromExport"
        case accountEmail, accountMobilePhone
    }
}

extension ProjectParticipant: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ParticipantInfo.ID(try fields.required("id").lenientText())
        isEnrolled = fields.flag("enrolled")
        enrollmentDate = fields.optionalDate("enrollmentDate")
        withdrawDate = fields.optionalDate("withdrawDate")
        insertedDate = fields.optionalDate("insertedDate")
        invitationStatus = try fields.anyText("invitationStatus")
        participantIdentifier = try fields.required("participantIdentifier").lenientText()
        secondaryIdentifier = try fields.anyText("secondaryIdentifier")
        linkIdentifier = try fields.anyText("linkIdentifier")
        demographics = fields.optional(ParticipantDemographics.self, "demographics") ?? ParticipantDemographics()
        customFields = fields.texts("customFields")
        isExcludedFromExport = fields.flag("excludeFromExport")
        accountEmail = try fields.anyText("accountEmail")
        accountMobilePhone = try fields.anyText("accountMobilePhone")
    }
}
