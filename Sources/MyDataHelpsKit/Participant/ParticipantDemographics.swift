import PledgeCoding

/// The demographics of a participant. Any value may be missing, and an empty string means that it was left blank.
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
    /// The date of birth as text, `yyyy-MM-dd`: a calendar day without a time.
    public var dateOfBirth: String?
    /// The language code of the preferred language.
    public var preferredLanguage: String?
    /// The gender stated by the participant.
    public var gender: ParticipantGender?
    /// The offset from UTC as text, such as `-04:00:00`.
    public var utcOffset: String?
    /// The IANA identifier of the time zone.
    public var timeZone: String?
    /// Whether the participant has unsubscribed from email.
    public var isUnsubscribedFromEmails = false
    /// Whether the participant has unsubscribed from text messages.
    public var isUnsubscribedFromSMS = false
    /// The two as the service states them: nil for what it leaves out.
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
    /// Decodes numbers, such as a postal code, as text, and requires no value.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        email = try fields.anyText("email")
        mobilePhone = try fields.anyText("mobilePhone")
        firstName = try fields.anyText("firstName")
        middleName = try fields.anyText("middleName")
        lastName = try fields.anyText("lastName")
        street1 = try fields.anyText("street1")
        street2 = try fields.anyText("street2")
        city = try fields.anyText("city")
        state = try fields.anyText("state")
        postalCode = try fields.anyText("postalCode")
        dateOfBirth = try fields.anyText("dateOfBirth")
        preferredLanguage = try fields.anyText("preferredLanguage")
        gender = try? fields.present("gender")?.word()
        utcOffset = try fields.anyText("utcOffset")
        timeZone = try fields.anyText("timeZone")
        (statedEmails, statedSMS) = (fields.flag("unsubscribedFromEmails"), fields.flag("unsubscribedFromSms"))
        (isUnsubscribedFromEmails, isUnsubscribedFromSMS) = (statedEmails ?? false, statedSMS ?? false)
    }
}
