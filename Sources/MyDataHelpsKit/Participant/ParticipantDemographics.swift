import PledgeCoding

/// Who a participant is. Everything may be missing, and empty text means that it was left empty.
public struct ParticipantDemographics: Sendable, Equatable {
    /// The e-mail address of the participant.
    public var email: String?
    /// The number of the mobile phone.
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
    /// The birthday as text, `yyyy-MM-dd`: a day, not a moment.
    public var dateOfBirth: String?
    /// The code of the preferred language.
    public var preferredLanguage: String?
    /// The gender the participant has stated.
    public var gender: ParticipantGender?
    /// The distance from UTC as text, such as `-04:00:00`.
    public var utcOffset: String?
    /// The time zone's IANA name.
    public var timeZone: String?
    /// Whether the participant wants no e-mails.
    public var isUnsubscribedFromEmails = false
    /// Whether the participant wants no text messages.
    public var isUnsubscribedFromSMS = false

    /// Makes demographics with nothing filled in, for tests and previews.
    public init() {}
}

extension ParticipantDemographics: Readable {
    /// Nothing of it has to be there.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        email = try fields.text("email")
        mobilePhone = try fields.text("mobilePhone")
        firstName = try fields.text("firstName")
        middleName = try fields.text("middleName")
        lastName = try fields.text("lastName")
        street1 = try fields.text("street1")
        street2 = try fields.text("street2")
        city = try fields.text("city")
        state = try fields.text("state")
        postalCode = try fields.text("postalCode")
        dateOfBirth = try fields.text("dateOfBirth")
        preferredLanguage = try fields.text("preferredLanguage")
        gender = try fields.present("gender")?.word()
        utcOffset = try fields.text("utcOffset")
        timeZone = try fields.text("timeZone")
        isUnsubscribedFromEmails = try fields.flag("unsubscribedFromEmails") ?? false
        isUnsubscribedFromSMS = try fields.flag("unsubscribedFromSms") ?? false
    }
}
