struct Average: Decodable, Sendable, Equatable {
    var attribute: String
    var day: ExistDay
    var overall: Double?
    var monday: Double?
    var tuesday: Double?
    var wednesday: Double?
    var thursday: Double?
    var friday: Double?
    var saturday: Double?
    var sunday: Double?
    init(attribute: String, day: ExistDay, overall: Double?, weekdays: [ExistDay.Weekday: Double] = [:]) {
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
    subscript(weekday: ExistDay.Weekday) -> Double? {
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
    init(from decoder: any Decoder) throws {
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
