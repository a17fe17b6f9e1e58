import Foundation
import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/users/
extension ExistAPI {
    /// Fetches the profile of the user whom the token belongs to. Wraps `GET accounts/profile/`.
    ///
    /// The call fails if the service rejects the token, so you can also use it to check a token.
    public func user() -> Promise<UserOutput> {
        send(.profile).map(on: nil) {
            (user: $0.value, response: $0.response.urlResponse)
        }
    }

    /// Fetches a user's read-only token with the user name and the password. Wraps `POST auth/simple-token/`.
    ///
    /// The service returns the same token each time. To use the token, create a client with the kind
    /// ``TokenKind/simple``.
    public static func simpleToken(
        username: String, password: String, baseURL: URL = ExistAPI.serviceURL,
        options: EndpointClient.Options = ExistAPI.defaultOptions
    ) -> Promise<String> {
        let endpoint = Endpoint<SimpleTokenOutput>(
            .post, "api/2/auth/simple-token/", body: .form(["username": username, "password": password]),
            isRepeatable: true)
        return EndpointClient.exist(baseURL, options: options).value(of: endpoint)
            .map(on: nil, \.token).mapError(on: nil) { ExistError($0) }
    }
}

extension Endpoint where Response == User {
    package static var profile: Endpoint { Endpoint(.get, "accounts/profile/") }
}

private struct SimpleTokenOutput: Readable {
    var token: String

    init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        token = try fields.required("token").parsed("it is empty") { $0.isEmpty ? nil : $0.string }
    }
}

/// The profile of the user whom a token belongs to (<https://developer.exist.io/reference/users/>).
public struct User: Sendable, Equatable {
    /// The name with which the user signs in.
    public var username: String
    /// The first name, which may be empty.
    public var firstName: String
    /// The last name, which may be empty.
    public var lastName: String
    /// The URL of the user's picture, if there is one.
    public var avatar: URL?
    /// The name of the user's time zone, such as `Europe/Stockholm`. It determines which day is the current day in
    /// Exist.
    public var timezone: String
    /// The time at which the service sent the response, according to the service's clock; nil if the response contains
    /// no time. A time without a UTC offset is read as UTC.
    public var localTime: Date? {
        get { clock.date }
        set { clock.date = newValue }
    }
    /// The UTC offset of ``localTime`` in seconds; nil if the service wrote the time without an offset.
    ///
    /// The offset is known even if this device doesn't know the name in ``timezone``.
    public var utcOffset: Int? {
        get { clock.offset }
        set { clock.offset = newValue }
    }
    /// Whether the user prefers miles to kilometers.
    public var imperialDistance: Bool
    /// Whether the user prefers pounds to kilograms.
    public var imperialWeight: Bool
    /// Whether the user prefers kilocalories to kilojoules.
    public var imperialEnergy: Bool
    /// Whether the user prefers fluid ounces to milliliters.
    public var imperialLiquid: Bool
    /// Whether the user prefers degrees Fahrenheit to Celsius.
    public var imperialTemperature: Bool
    /// Whether the user is in the trial period.
    public var trial: Bool
    /// Whether the user's payment is overdue.
    public var delinquent: Bool
    private var clock = WrittenTime()

    /// The user's time zone, according to the name in ``timezone``. If this device doesn't know the name, this property
    /// is a time zone with the fixed offset ``utcOffset``. It is nil if neither the name nor the offset is known.
    public var timeZone: TimeZone? {
        TimeZone(ofService: timezone) ?? offsetZone
    }

    /// The current day in the user's time zone.
    ///
    /// It is the day of ``localTime``. If the response contained no time, the device's clock is used instead. If the
    /// time zone is unknown, the device's time zone is used instead.
    public var today: ExistDay {
        ExistDay(localTime ?? Date(), in: offsetZone ?? timeZone ?? .current)
    }

    /// The time zone with the fixed offset ``utcOffset``. Nil if the offset is larger than 18 hours: no time zone has
    /// such an offset, and Foundation traps on it.
    private var offsetZone: TimeZone? {
        utcOffset.flatMap { -64_800...64_800 ~= $0 ? TimeZone(secondsFromGMT: $0) : nil }
    }

    /// Creates a user for use in tests.
    public init(
        username: String, firstName: String = "", lastName: String = "", avatar: URL? = nil, timezone: String = "UTC",
        localTime: Date? = nil, utcOffset: Int? = nil, imperialDistance: Bool = false, imperialWeight: Bool = false,
        imperialEnergy: Bool = false, imperialLiquid: Bool = false, imperialTemperature: Bool = false,
        trial: Bool = false, delinquent: Bool = false
    ) {
        self.username = username
        self.firstName = firstName
        self.lastName = lastName
        self.avatar = avatar
        self.timezone = timezone
        clock = WrittenTime(date: localTime, offset: utcOffset)
        self.imperialDistance = imperialDistance
        self.imperialWeight = imperialWeight
        self.imperialEnergy = imperialEnergy
        self.imperialLiquid = imperialLiquid
        self.imperialTemperature = imperialTemperature
        self.trial = trial
        self.delinquent = delinquent
    }
}

extension User: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        username = try fields.required("username").lenientText()
        firstName = fields.text("first_name") ?? ""
        lastName = fields.text("last_name") ?? ""
        // An empty text counts as missing, because Foundation of Swift 6.0 returns a URL for it.
        avatar = fields.nonEmptyText("avatar").flatMap { URL(string: $0) }
        timezone = fields.text("timezone") ?? ""
        let time = fields.text("local_time").flatMap { Timestamp.parse($0) }
        clock = WrittenTime(date: time?.date, offset: time?.offset)
        imperialDistance = fields.flag("imperial_distance") ?? false
        imperialWeight = fields.flag("imperial_weight") ?? false
        imperialEnergy = fields.flag("imperial_energy") ?? false
        imperialLiquid = fields.flag("imperial_liquid") ?? false
        imperialTemperature = fields.flag("imperial_temperature") ?? false
        trial = fields.flag("trial") ?? false
        delinquent = fields.flag("delinquent") ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case username
        case firstName = "first_name"
        case lastName = "last_name"
        case avatar, timezone, trial, delinquent
        case clock = "local_time"
        case imperialDistance = "imperial_distance"
        case imperialWeight = "imperial_weight"
        case imperialEnergy = "imperial_energy"
        case imperialLiquid = "imperial_liquid"
        case imperialTemperature = "imperial_temperature"
    }
}
