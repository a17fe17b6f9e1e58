import PledgeCoding

/// The usual week of a user for one attribute: weekly medians of the last 60 days, which Exist calls averages
/// (<https://developer.exist.io/reference/averages/>).
public struct Average: Sendable, Equatable {
    /// The name of the averaged attribute.
    public var attribute: String
    /// The day the average was computed.
    public var day: ExistDay
    /// The average over all days of the week.
    public var overall: Double?
    /// The average of all Mondays.
    public var monday: Double?
    /// The average of all Tuesdays.
    public var tuesday: Double?
    /// The average of all Wednesdays.
    public var wednesday: Double?
    /// The average of all Thursdays.
    public var thursday: Double?
    /// The average of all Fridays.
    public var friday: Double?
    /// The average of all Saturdays.
    public var saturday: Double?
    /// The average of all Sundays.
    public var sunday: Double?

    /// Creates an average for use in tests.
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

    /// Accesses the average of a day of the week.
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

extension Average: Readable, Encodable {
    /// Decodes the attribute's name from either of two keys.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        let (name, userName) = (fields.present("attribute"), fields.value("user_attribute"))
        guard let name = name ?? userName else { throw fields.missing("user_attribute") }
        attribute = try name.lenientText()
        day = try ExistDay(reading: fields.required("date"))
        overall = fields.optional("overall") { (value) throws(TapeFailure) in try value.lenientDouble() }
        monday = try? fields.double("monday")
        tuesday = try? fields.double("tuesday")
        wednesday = try? fields.double("wednesday")
        thursday = try? fields.double("thursday")
        friday = try? fields.double("friday")
        saturday = try? fields.double("saturday")
        sunday = try? fields.double("sunday")
    }

    private enum CodingKeys: String, CodingKey {
        case attribute, overall, monday, tuesday, wednesday, thursday, friday, saturday, sunday
        case day = "date"
    }
}
