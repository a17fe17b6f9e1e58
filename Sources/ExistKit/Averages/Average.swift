import PledgeCoding

/// What a user's week usually looks like, for one attribute: medians of the last 60 days, made weekly, that Exist calls
/// averages.
///
/// https://developer.exist.io/reference/averages/
public struct Average: Sendable, Equatable {
    /// The name of the attribute it is of.
    public var attribute: String
    /// The day it was made.
    public var day: ExistDay
    /// The average over all days of the week.
    public var overall: Double?
    /// The average of the Mondays alone.
    public var monday: Double?
    /// The average of the Tuesdays alone.
    public var tuesday: Double?
    /// The average of the Wednesdays alone.
    public var wednesday: Double?
    /// The average of the Thursdays alone.
    public var thursday: Double?
    /// The average of the Fridays alone.
    public var friday: Double?
    /// The average of the Saturdays alone.
    public var saturday: Double?
    /// The average of the Sundays alone.
    public var sunday: Double?

    /// Makes an average by hand, for tests.
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
}

extension Average: Readable {
    /// The attribute's name stands under one of two keys.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        let (name, userName) = (fields.present("attribute"), fields.value("user_attribute"))
        guard let name = name ?? userName else { throw fields.missing("user_attribute") }
        attribute = try name.text()
        day = try ExistDay(reading: fields.required("date"))
        overall = try fields.double("overall")
        monday = try fields.double("monday")
        tuesday = try fields.double("tuesday")
        wednesday = try fields.double("wednesday")
        thursday = try fields.double("thursday")
        friday = try fields.double("friday")
        saturday = try fields.double("saturday")
        sunday = try fields.double("sunday")
    }
}
