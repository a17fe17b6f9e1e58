import Foundation
import PledgeModels

/// The owner of the token.
///
/// https://developer.exist.io/reference/users/
public struct User: Decodable, Sendable, Equatable {
    /// The name to log in with.
    public var username: String
    /// May be empty.
    public var firstName: String
    /// May be empty.
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

    /// A user, as for tests.
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

    private enum CodingKeys: String, CodingKey {
        case username, avatar, timezone, trial, delinquent
        case firstName = "first_name"
        case lastName = "last_name"
        case localTime = "local_time"
        case imperialDistance = "imperial_distance"
        case imperialWeight = "imperial_weight"
        case imperialEnergy = "imperial_energy"
        case imperialLiquid = "imperial_liquid"
        case imperialTemperature = "imperial_temperature"
    }

    /// Reads a profile; only the user name is required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String { try container.decodeIfPresent(String.self, forKey: key) ?? "" }
        func flag(_ key: CodingKeys) throws -> Bool {
            try container.decodeIfPresent(LenientBool.self, forKey: key)?.value ?? false
        }
        username = try container.decode(String.self, forKey: .username)
        firstName = try text(.firstName)
        lastName = try text(.lastName)
        avatar = URL(string: try text(.avatar))
        timezone = try text(.timezone)
        let clock = Moment.parse(try text(.localTime))
        localTime = clock?.date
        utcOffset = clock?.offset
        imperialDistance = try flag(.imperialDistance)
        imperialWeight = try flag(.imperialWeight)
        imperialEnergy = try flag(.imperialEnergy)
        imperialLiquid = try flag(.imperialLiquid)
        imperialTemperature = try flag(.imperialTemperature)
        trial = try flag(.trial)
        delinquent = try flag(.delinquent)
    }
}
