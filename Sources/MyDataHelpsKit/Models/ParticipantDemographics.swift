import PledgeModels

/// Who a participant is. Everything may be missing, and empty text means that it was left empty.
public struct ParticipantDemographics: Decodable, Sendable, Equatable {
    /// The e-mail address.
    public var email: String?
    /// The number of the mobile phone.
    public var mobilePhone: String?
    /// The first name.
    public var firstName: String?
    /// The middle name.
    public var middleName: String?
    /// The last name.
    public var lastName: String?
    /// The first line of the address.
    public var street1: String?
    /// The second line of the address.
    public var street2: String?
    /// The city.
    public var city: String?
    /// The state.
    public var state: String?
    /// The postal code.
    public var postalCode: String?
    /// The birthday as text, `yyyy-MM-dd`: a day, not a moment.
    public var dateOfBirth: String?
    /// The code of the preferred language.
    public var preferredLanguage: String?
    /// The gender.
    public var gender: ParticipantGender?
    /// The distance from UTC as text, such as `-04:00:00`.
    public var utcOffset: String?
    /// The time zone's IANA name.
    public var timeZone: String?
    /// Whether the participant wants no e-mails.
    public var isUnsubscribedFromEmails = false
    /// Whether the participant wants no text messages.
    public var isUnsubscribedFromSMS = false

    /// Nothing filled in, as for tests and previews.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case email, mobilePhone, firstName, middleName, lastName, street1, street2, city, state, postalCode
        case dateOfBirth, preferredLanguage, gender, utcOffset, timeZone
        case isUnsubscribedFromEmails = "unsubscribedFromEmails"
        case isUnsubscribedFromSMS = "unsubscribedFromSms"
    }

    /// Reads whatever is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        email = try container.text(.email)
        mobilePhone = try container.text(.mobilePhone)
        firstName = try container.text(.firstName)
        middleName = try container.text(.middleName)
        lastName = try container.text(.lastName)
        street1 = try container.text(.street1)
        street2 = try container.text(.street2)
        city = try container.text(.city)
        state = try container.text(.state)
        postalCode = try container.text(.postalCode)
        dateOfBirth = try container.text(.dateOfBirth)
        preferredLanguage = try container.text(.preferredLanguage)
        gender = try container.decodeIfPresent(ParticipantGender.self, forKey: .gender)
        utcOffset = try container.text(.utcOffset)
        timeZone = try container.text(.timeZone)
        isUnsubscribedFromEmails = try container.flag(.isUnsubscribedFromEmails) ?? false
        isUnsubscribedFromSMS = try container.flag(.isUnsubscribedFromSMS) ?? false
    }
}
