import Foundation
import PledgeCoding
import PledgeHTTP

/// The owner of the token.
///
/// https://developer.exist.io/reference/users/
public struct User: Sendable, Equatable {
    /// The name to log in with.
    public var username: String
    /// The first name, which may be empty.
    public var firstName: String
    /// The last name, which may be empty.
    public var lastName: String
    /// The address of a picture, if there is one.
    public var avatar: URL?
    /// The name of the user's time zone, such as `Europe/Stockholm`; it decides what "today" is.
    public var timezone: String
    /// What the clock said there when the service answered.
    public var localTime: Date?
    /// That clock's offset from UTC, in seconds: right even where ``timezone`` is a name the device does not know.
    public var utcOffset: Int?
    /// Shows miles rather than kilometres.
    public var imperialDistance: Bool
    /// Shows pounds rather than kilograms.
    public var imperialWeight: Bool
    /// Shows calories rather than kilojoules.
    public var imperialEnergy: Bool
    /// Shows fluid ounces rather than millilitres.
    public var imperialLiquid: Bool
    /// Shows degrees Fahrenheit rather than Celsius.
    public var imperialTemperature: Bool
    /// Has not paid yet, and need not.
    public var trial: Bool
    /// Has not paid, and should.
    public var delinquent: Bool

    /// The user's time zone: by name, else by the offset of ``localTime``, else nil.
    public var timeZone: TimeZone? {
        TimeZone(ofService: timezone) ?? utcOffset.flatMap { TimeZone(secondsFromGMT: $0) }
    }

    /// Today where the user is: by the service's clock when it told the time, else by the device's.
    public var today: ExistDay {
        ExistDay(localTime ?? Date(), in: utcOffset.flatMap { TimeZone(secondsFromGMT: $0) } ?? timeZone ?? .current)
    }

    /// Makes a user by hand, for tests.
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
        self.localTime = localTime
        self.utcOffset = utcOffset
        self.imperialDistance = imperialDistance
        self.imperialWeight = imperialWeight
        self.imperialEnergy = imperialEnergy
        self.imperialLiquid = imperialLiquid
        self.imperialTemperature = imperialTemperature
        self.trial = trial
        self.delinquent = delinquent
    }
}

extension User: Readable {
    /// Only the user name is required.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        username = try fields.required("username").text()
        firstName = try fields.text("first_name") ?? ""
        lastName = try fields.text("last_name") ?? ""
        avatar = URL(string: try fields.text("avatar") ?? "")
        timezone = try fields.text("timezone") ?? ""
        let clock = Timestamp.parse(try fields.text("local_time") ?? "")
        localTime = clock?.date
        utcOffset = clock?.offset
        imperialDistance = try fields.flag("imperial_distance") ?? false
        imperialWeight = try fields.flag("imperial_weight") ?? false
        imperialEnergy = try fields.flag("imperial_energy") ?? false
        imperialLiquid = try fields.flag("imperial_liquid") ?? false
        imperialTemperature = try fields.flag("imperial_temperature") ?? false
        trial = try fields.flag("trial") ?? false
        delinquent = try fields.flag("delinquent") ?? false
    }
}

/// https://developer.exist.io/reference/users/
extension ExistAPI {
    /// The owner of the token. Wraps `GET accounts/profile/`; also the way to find out whether a token works.
    ///
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request.
    public func user() -> Promise<UserReply> {
        send(.profile).map(on: nil) {
            (user: $0.value, response: $0.reply.urlResponse)
        }
    }
}

extension Endpoint where Response == User {
    /// The owner of the token. `GET accounts/profile/`
    package static var profile: Endpoint { Endpoint(.get, "accounts/profile/") }
}
