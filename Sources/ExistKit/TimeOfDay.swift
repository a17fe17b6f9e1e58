import PledgeCoding

/// A time of day, to the minute, without a day or a time zone.
public struct TimeOfDay: Hashable, Sendable {
    /// The minutes after midnight, from 0 to 1439, as Exist stores most times of day.
    public let minutesFromMidnight: Int

    /// Creates a time of day, or returns nil if there is no such time.
    public init?(hour: Int, minute: Int) {
        guard 0..<24 ~= hour, 0..<60 ~= minute else { return nil }
        minutesFromMidnight = hour * 60 + minute
    }

    /// Creates a time of day from minutes after midnight, or returns nil if they are not from 0 to 1439.
    public init?(minutesFromMidnight minutes: Int) {
        guard 0..<1440 ~= minutes else { return nil }
        minutesFromMidnight = minutes
    }

    /// Creates a time of day from minutes after midday: 655 is 22:55, 742 is 00:22. Nil if they are not from 0 to 1439.
    public init?(minutesFromMidday minutes: Int) {
        guard 0..<1440 ~= minutes else { return nil }
        minutesFromMidnight = (minutes + 720) % 1440
    }

    /// The minutes after midday, from 0 to 1439, as Exist stores bedtimes; sorted by them, nights follow evenings.
    public var minutesFromMidday: Int { (minutesFromMidnight + 720) % 1440 }
    /// The hour, from 0 to 23.
    public var hour: Int { minutesFromMidnight / 60 }
    /// The minute, from 0 to 59.
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
    /// Returns the value as a time of day, counted from midnight or midday depending on the type; nil if it is none.
    public func timeOfDay(as type: ValueType) -> TimeOfDay? {
        switch type {
        case .minFromMidnight: int.flatMap(TimeOfDay.init(minutesFromMidnight:))
        case .minFromMidday: int.flatMap(TimeOfDay.init(minutesFromMidday:))
        default: nil
        }
    }
}
