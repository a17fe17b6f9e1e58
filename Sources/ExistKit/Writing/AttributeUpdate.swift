import Foundation

/// A total to store for a day. An array may contain several types: `[FloatAttributeUpdate(…), IntAttributeUpdate(…)]`.
public protocol AttributeUpdate: Sendable {
    /// The name of the attribute to write.
    var name: String { get }
    /// The day of the value.
    var day: ExistDay { get }
    /// The day's total, which replaces the stored one.
    var update: AttributeValue { get }
}

extension AttributeUpdate {
    var item: SentItem { SentItem(name: name, day: day, value: update) }
}

/// A type whose values can be stored directly: integers, decimal numbers, and text.
public protocol StorableValue: Sendable, Equatable {
    /// The value as it is sent.
    var attributeValue: AttributeValue { get }
}

extension Int: StorableValue {
    public var attributeValue: AttributeValue { .integer(self) }
}

extension Double: StorableValue {
    public var attributeValue: AttributeValue { .decimal(self) }
}

extension String: StorableValue {
    public var attributeValue: AttributeValue { .text(self) }
}

/// A value to store for a day.
public struct ValueUpdate<Value: StorableValue>: AttributeUpdate, Equatable {
    public var name: String
    public var day: ExistDay
    /// The value to store. Numbers must be finite and in metric units.
    public var value: Value
    /// The value as it is sent.
    public var update: AttributeValue { value.attributeValue }

    /// Creates an update for a day.
    public init(name: String, day: ExistDay, value: Value) {
        self.name = name
        self.day = day
        self.value = value
    }

    /// Creates an update for the day that contains a moment, in the device's time zone by default.
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

/// An integer to store: a count, minutes, a time of day, a tag (1 or 0), or a rating (1 to 9).
public typealias IntAttributeUpdate = ValueUpdate<Int>
/// A decimal number or fraction to store.
public typealias FloatAttributeUpdate = ValueUpdate<Double>
/// A text to store, such as a note.
public typealias StringAttributeUpdate = ValueUpdate<String>

/// A time of day to store.
public struct TimeOfDayAttributeUpdate: AttributeUpdate, Equatable {
    public var name: String
    /// The day of the value. For a bedtime after midnight, it is the previous day.
    public var day: ExistDay
    /// The time of day to store.
    public var value: TimeOfDay
    /// Whether the attribute counts from midday, as ``ValueType/minFromMidday`` does, rather than from midnight.
    public var isFromMidday: Bool
    /// The minutes as they are sent.
    public var update: AttributeValue { .integer(isFromMidday ? value.minutesFromMidday : value.minutesFromMidnight) }

    /// Creates an update for a day.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - day: The day of the value.
    ///   - value: The time of day to store.
    ///   - isFromMidday: Whether the attribute counts from midday; by default only `sleep_start`, the bedtime, does.
    public init(name: String, day: ExistDay, value: TimeOfDay, isFromMidday: Bool? = nil) {
        self.name = name
        self.day = day
        self.value = value
        self.isFromMidday = isFromMidday ?? (name == "sleep_start")
    }
}
