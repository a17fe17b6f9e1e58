import Foundation

/// A day's total to store. Mixed lists are fine: `[FloatAttributeUpdate(…), IntAttributeUpdate(…)]`.
public protocol AttributeUpdate: Sendable {
    /// The name of the attribute to write.
    var name: String { get }
    /// The day the value is of.
    var day: ExistDay { get }
    /// The total of that day; it replaces what was there.
    var update: AttributeValue { get }
}

/// What can be stored as it is: whole numbers, numbers and text.
public protocol StorableValue: Sendable, Equatable {
    /// The value as it is sent.
    var attributeValue: AttributeValue { get }
}

extension Int: StorableValue {
    /// A whole number, as it is sent.
    public var attributeValue: AttributeValue { .integer(self) }
}

extension Double: StorableValue {
    /// A number with decimals.
    public var attributeValue: AttributeValue { .decimal(self) }
}

extension String: StorableValue {
    /// The text, as it is sent.
    public var attributeValue: AttributeValue { .text(self) }
}

/// A value to store for a day.
public struct ValueUpdate<Value: StorableValue>: AttributeUpdate, Equatable {
    /// The name of the attribute to write.
    public var name: String
    /// The day the value is of.
    public var day: ExistDay
    /// The value; numbers in metric units, and finite.
    public var value: Value
    /// The value as it is sent.
    public var update: AttributeValue { value.attributeValue }

    /// Makes an update for a day.
    public init(name: String, day: ExistDay, value: Value) {
        self.name = name
        self.day = day
        self.value = value
    }

    /// For the day a moment belongs to, in the device's time zone unless another is given.
    public init(name: String, date: Date, value: Value, in zone: TimeZone = .current) {
        self.init(name: name, day: ExistDay(date, in: zone), value: value)
    }
}

extension ValueUpdate: Codable where Value: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value
        case day = "date"
    }
}

/// A whole number to store, for counts, minutes, times of day, tags (1 or 0) and ratings (1 to 9).
public typealias IntAttributeUpdate = ValueUpdate<Int>
/// A number to store, for decimals and fractions.
public typealias FloatAttributeUpdate = ValueUpdate<Double>
/// A text to store, such as a note.
public typealias StringAttributeUpdate = ValueUpdate<String>

/// A time of day to store.
public struct TimeOfDayAttributeUpdate: AttributeUpdate, Equatable {
    /// The name of the attribute to write.
    public var name: String
    /// The day, which for a bedtime after midnight is the day before.
    public var day: ExistDay
    /// The time of day to store.
    public var value: TimeOfDay
    /// Whether the attribute counts from midday, as ``ValueType/minFromMidday`` does; else it counts from midnight.
    public var isFromMidday: Bool
    /// The minutes as they are sent.
    public var update: AttributeValue { .integer(isFromMidday ? value.minutesFromMidday : value.minutesFromMidnight) }

    /// Makes an update for a day.
    ///
    /// - Parameters:
    ///   - name: the attribute's name.
    ///   - day: the day.
    ///   - value: the time.
    ///   - isFromMidday: whether the attribute counts from midday: of the templates only `sleep_start`, the bedtime.
    public init(name: String, day: ExistDay, value: TimeOfDay, isFromMidday: Bool? = nil) {
        self.name = name
        self.day = day
        self.value = value
        self.isFromMidday = isFromMidday ?? (name == "sleep_start")
    }
}
