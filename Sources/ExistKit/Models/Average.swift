/// What a user's week usually looks like, for one attribute: medians of the last 60 days, made weekly, that Exist calls
/// averages.
///
/// https://developer.exist.io/reference/averages/
public struct Average: Decodable, Sendable, Equatable {
    /// The attribute's name.
    public var attribute: String
    /// The day it was made.
    public var day: ExistDay
    /// Over all days.
    public var overall: Double?
    /// On Mondays.
    public var monday: Double?
    /// On Tuesdays.
    public var tuesday: Double?
    /// On Wednesdays.
    public var wednesday: Double?
    /// On Thursdays.
    public var thursday: Double?
    /// On Fridays.
    public var friday: Double?
    /// On Saturdays.
    public var saturday: Double?
    /// On Sundays.
    public var sunday: Double?

    /// An average, as for tests.
    public init(attribute: String, day: ExistDay, overall: Double?, weekdays: [ExistDay.Weekday: Double] = [:]) {
        self.attribute = attribute
        self.day = day
        self.overall = overall
        monday = weekdays[.monday]
        tuesday = weekdays[.tuesday]
        wednesday = weekdays[.wednesday]
        thursday = weekdays[.thursday]
        friday = weekdays[.friday]
        saturday = weekdays[.saturday]
        sunday = weekdays[.sunday]
    }

    /// The one for a day of the week.
    public subscript(weekday: ExistDay.Weekday) -> Double? {
        switch weekday {
        case .monday: monday
        case .tuesday: tuesday
        case .wednesday: wednesday
        case .thursday: thursday
        case .friday: friday
        case .saturday: saturday
        case .sunday: sunday
        }
    }

    private enum CodingKeys: String, CodingKey {
        case attribute, overall, monday, tuesday, wednesday, thursday, friday, saturday, sunday
        case userAttribute = "user_attribute"
        case day = "date"
    }

    /// Reads an average; the attribute's name stands under one of two keys.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        attribute =
            try container.decodeIfPresent(String.self, forKey: .attribute)
            ?? container.decode(String.self, forKey: .userAttribute)
        day = try ExistDay(container, .day)
        overall = try container.decodeIfPresent(Double.self, forKey: .overall)
        monday = try container.decodeIfPresent(Double.self, forKey: .monday)
        tuesday = try container.decodeIfPresent(Double.self, forKey: .tuesday)
        wednesday = try container.decodeIfPresent(Double.self, forKey: .wednesday)
        thursday = try container.decodeIfPresent(Double.self, forKey: .thursday)
        friday = try container.decodeIfPresent(Double.self, forKey: .friday)
        saturday = try container.decodeIfPresent(Double.self, forKey: .saturday)
        sunday = try container.decodeIfPresent(Double.self, forKey: .sunday)
    }
}
