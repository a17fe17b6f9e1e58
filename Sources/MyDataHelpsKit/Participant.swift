import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ParticipantSession {
    /// Fetches the participant whom the access token represents. `GET api/v1/delegated/participant`
    public func getParticipantInfo() -> Promise<ParticipantInfo> { call(.participant) }
    public func getParticipantInfo() async throws(MyDataHelpsError) -> ParticipantInfo {
        try await value(of: call(.participant))
    }
    public func getParticipantInfo(completion: @escaping Completion<ParticipantInfo>) {
        deliver(call(.participant), to: completion)
    }
}

extension Endpoint where Response == ParticipantInfo {
    static var participant: Endpoint { Endpoint(.get, "api/v1/delegated/participant") }
}

/// The participant whom the access token represents.
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
    /// The participant's identifier in links to surveys; nil if the service does not send it.
    public var linkIdentifier: String?
    /// The participant's demographics. Any value may be missing.
    public var demographics: ParticipantDemographics
    /// The values of the project's custom fields, by name. A value that is not a string is encoded as JSON.
    public var customFields: [String: String]
    /// The date on which the participant enrolled.
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

/// The gender that a participant stated.
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
        secondaryIdentifier = fields.anyText("secondaryIdentifier")
        linkIdentifier = fields.text("linkIdentifier")
        demographics = fields.read(ParticipantDemographics.self, "demographics") ?? ParticipantDemographics()
        customFields = fields.texts("customFields")
        enrollmentDate = fields.optionalDate("enrollmentDate")
    }
}

/// The demographics of a participant. Any value may be missing. An empty string means that the participant left a field
/// blank.
public struct ParticipantDemographics: Codable, Sendable, Equatable {
    /// The participant's email address.
    public var email: String?
    /// The participant's mobile phone number.
    public var mobilePhone: String?
    /// The first name of the participant.
    public var firstName: String?
    /// The middle name of the participant.
    public var middleName: String?
    /// The last name of the participant.
    public var lastName: String?
    /// The first line of the address.
    public var street1: String?
    /// The second line of the address.
    public var street2: String?
    /// The city of the postal address.
    public var city: String?
    /// The state of the postal address.
    public var state: String?
    /// The postal code of the address.
    public var postalCode: String?
    /// The date of birth as a text of the form `yyyy-MM-dd`. It is a calendar day without a time.
    public var dateOfBirth: String?
    /// The code of the participant's preferred language.
    public var preferredLanguage: String?
    /// The gender that the participant stated.
    public var gender: ParticipantGender?
    /// The participant's UTC offset as text, such as `-04:00:00`.
    public var utcOffset: String?
    /// The IANA identifier of the participant's time zone.
    public var timeZone: String?
    /// Whether the participant has unsubscribed from email.
    public var isUnsubscribedFromEmails = false
    /// Whether the participant has unsubscribed from text messages.
    public var isUnsubscribedFromSMS = false
    /// `isUnsubscribedFromEmails` and `isUnsubscribedFromSMS` as the service states them; nil if the service does not
    /// state them.
    @Uncompared package private(set) var statedEmails: Bool? = nil
    @Uncompared package private(set) var statedSMS: Bool? = nil

    /// Creates empty demographics for use in tests and previews.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case email, mobilePhone, firstName, middleName, lastName, street1, street2, city, state, postalCode
        case dateOfBirth, preferredLanguage, gender, utcOffset, timeZone
        case isUnsubscribedFromEmails = "unsubscribedFromEmails"
        case isUnsubscribedFromSMS = "unsubscribedFromSms"
    }
}

extension ParticipantDemographics: Readable {
    /// Decodes the demographics. No field is required. A number, such as a postal code, is decoded as text.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        email = fields.anyText("email")
        mobilePhone = fields.anyText("mobilePhone")
        firstName = fields.anyText("firstName")
        middleName = fields.anyText("middleName")
        lastName = fields.anyText("lastName")
        street1 = fields.anyText("street1")
        street2 = fields.anyText("street2")
        city = fields.anyText("city")
        state = fields.anyText("state")
        postalCode = fields.anyText("postalCode")
        dateOfBirth = fields.anyText("dateOfBirth")
        preferredLanguage = fields.anyText("preferredLanguage")
        gender = fields.word("gender")
        utcOffset = fields.anyText("utcOffset")
        timeZone = fields.anyText("timeZone")
        statedEmails = fields.flag("unsubscribedFromEmails")
        statedSMS = fields.flag("unsubscribedFromSms")
        isUnsubscribedFromEmails = statedEmails ?? false
        isUnsubscribedFromSMS = statedSMS ?? false
    }
}
