/// A time on the clock, to the minute, with no day and no time zone.
public struct TimeOfDay: Hashable, Sendable {
    /// Minutes after midnight, 0 to 1439: how Exist keeps most times of day.
    public let minutesFromMidnight: Int

    /// A time; nil if no clock shows it.
    public init?(hour: Int, minute: Int) {
        guard 0..<24 ~= hour, 0..<60 ~= minute else { return nil }
        minutesFromMidnight = hour * 60 + minute
    }

    /// From minutes after midnight; nil if they are not 0 to 1439.
    public init?(minutesFromMidnight minutes: Int) {
        guard 0..<1440 ~= minutes else { return nil }
        minutesFromMidnight = minutes
    }

    /// From minutes after midday; nil if they are not 0 to 1439. 655 is 22:55, and 742 is 00:22.
    public init?(minutesFromMidday minutes: Int) {
        guard 0..<1440 ~= minutes else { return nil }
        minutesFromMidnight = (minutes + 720) % 1440
    }

    /// Minutes after midday, 0 to 1439: how Exist keeps bedtimes. Sort by this where a late night comes after an
    /// evening.
    public var minutesFromMidday: Int { (minutesFromMidnight + 720) % 1440 }
    /// The hour, 0 to 23.
    public var hour: Int { minutesFromMidnight / 60 }
    /// The minute, 0 to 59.
    public var minute: Int { minutesFromMidnight % 60 }
}

extension TimeOfDay: Comparable, CustomStringConvertible {
    /// Earlier on the clock comes first.
    public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
        left.minutesFromMidnight < right.minutesFromMidnight
    }

    public var description: String {
        [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

extension AttributeValue {
    /// The time of day, if the value is one: counted from midnight or from midday, as the attribute's type says.
    public func timeOfDay(as type: ValueType) -> TimeOfDay? {
        switch type {
        case .minFromMidnight: int.flatMap(TimeOfDay.init(minutesFromMidnight:))
        case .minFromMidday: int.flatMap(TimeOfDay.init(minutesFromMidday:))
        default: nil
        }
    }
}
