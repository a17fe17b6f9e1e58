import PledgeCoding

/// A time of day, to the minute, without a day or a time zone.
public struct TimeOfDay: Hashable, Sendable {
    /// The names of the attributes whose values count from midday. Of Exist's own attributes, only the bedtime does.
    static let attributesFromMidday: Set = ["sleep_start"]

    /// The number of minutes after midnight, from 0 to 1439. Exist stores most times of day as this number.
    public let minutesFromMidnight: Int

    /// Creates a time of day, or returns nil if there is no such time, such as 25:00.
    public init?(hour: Int, minute: Int) {
        guard 0..<24 ~= hour, 0..<60 ~= minute else { return nil }
        minutesFromMidnight = hour * 60 + minute
    }

    /// Creates a time of day from a number of minutes after midnight. Returns nil if the number is outside 0 to 1439.
    public init?(minutesFromMidnight minutes: Int) {
        guard 0..<1440 ~= minutes else { return nil }
        minutesFromMidnight = minutes
    }

    /// Creates a time of day from a number of minutes after midday. Returns nil if the number is outside 0 to 1439. For
    /// example, 655 is 22:55, and 742 is 00:22.
    public init?(minutesFromMidday minutes: Int) {
        guard 0..<1440 ~= minutes else { return nil }
        minutesFromMidnight = (minutes + 720) % 1440
    }

    /// The number of minutes after midday, from 0 to 1439. Exist stores bedtimes as this number, because a bedtime
    /// after midnight then sorts after a bedtime in the evening.
    public var minutesFromMidday: Int { (minutesFromMidnight + 720) % 1440 }
    /// The hour of the day, from 0 to 23.
    public var hour: Int { minutesFromMidnight / 60 }
    /// The minute of the hour, from 0 to 59.
    public var minute: Int { minutesFromMidnight % 60 }
}

extension TimeOfDay: Comparable, CustomStringConvertible {
    public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
        left.minutesFromMidnight < right.minutesFromMidnight
    }

    public var description: String {
        [hour, minute].map { NumberText.digits($0, atLeast: 2) }.joined(separator: ":")
    }
}

extension AttributeValue {
    /// Returns the value as a time of day. The type determines whether the value counts minutes from midnight or from
    /// midday.
    ///
    /// Returns nil if the type is not a type for times of day, or if the value is not a valid time.
    public func timeOfDay(as type: ValueType) -> TimeOfDay? {
        switch type {
        case .minFromMidnight: int.flatMap(TimeOfDay.init(minutesFromMidnight:))
        case .minFromMidday: int.flatMap(TimeOfDay.init(minutesFromMidday:))
        default: nil
        }
    }
}
