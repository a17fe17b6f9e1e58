import Foundation

/// A whole number and its day.
public struct IntValue: Sendable, Equatable {
    /// The number; nil if nothing is known of that day.
    public let value: Int?
    /// The day.
    public let day: ExistDay
    /// The first moment of that day on the device.
    public var date: Date { day.date }
}

/// A number and its day.
public struct FloatValue: Sendable, Equatable {
    /// The number; nil if nothing is known of that day.
    public let value: Double?
    /// The day.
    public let day: ExistDay
    /// The first moment of that day on the device.
    public var date: Date { day.date }
}

/// Text and its day.
public struct StringValue: Sendable, Equatable {
    /// The text; nil if nothing is known of that day.
    public let value: String?
    /// The day.
    public let day: ExistDay
    /// The first moment of that day on the device.
    public var date: Date { day.date }
}

/// Yes or no, and its day.
public struct BoolValue: Sendable, Equatable {
    /// Yes or no; nil if nothing is known of that day, which for a tag means no.
    public let value: Bool?
    /// The day.
    public let day: ExistDay
    /// The first moment of that day on the device.
    public var date: Date { day.date }
}

/// A time of day and its day.
public struct TimeOfDayValue: Sendable, Equatable {
    /// The time; nil if nothing is known of that day.
    public let value: TimeOfDay?
    /// The day, which for a bedtime after midnight is the day before.
    public let day: ExistDay
    /// The first moment of that day on the device.
    public var date: Date { day.date }
}

/// An attribute was asked for values of a kind it does not hold.
public struct ValueTypeMismatch: Error, Equatable, Sendable, CustomStringConvertible {
    /// The attribute's name.
    public let attribute: String
    /// The type it has.
    public let valueType: ValueType
    /// What was asked for.
    public let wanted: String

    /// A sentence that says what to ask for instead.
    public var description: String {
        let instead =
            switch valueType {
            case .string where wanted != "text": "getStringValues()"
            case .float, .percentage: wanted == "numbers" ? "values" : "getFloatValues()"
            case .string, .unknown: "values"
            default: wanted == "whole numbers" ? "values" : "getIntValues()"
            }
        return "“\(attribute)” does not hold \(wanted): it is of type \(valueType). Use \(instead) instead."
    }
}

extension Attribute {
    /// The values as whole numbers, newest first, for counts, minutes, times of day, tags and ratings.
    ///
    /// - Throws: ``ValueTypeMismatch`` if the attribute holds something else, or one of its values is no whole number:
    ///   nothing is dropped. ``values`` has them as they are.
    public func getIntValues() throws -> [IntValue] {
        switch valueType {
        case .int, .periodMin, .minFromMidnight, .minFromMidday, .boolean, .scale: break
        case .float, .percentage, .string, .unknown: throw mismatch("whole numbers")
        }
        return try values.map { IntValue(value: try read($0, \.int, "whole numbers"), day: $0.day) }
    }

    /// The values as numbers, newest first, for everything but text.
    ///
    /// - Throws: ``ValueTypeMismatch`` if the attribute holds something else.
    public func getFloatValues() throws -> [FloatValue] {
        switch valueType {
        case .string, .unknown: throw mismatch("numbers")
        default: return try values.map { FloatValue(value: try read($0, \.double, "numbers"), day: $0.day) }
        }
    }

    /// The values as text, newest first.
    ///
    /// - Throws: ``ValueTypeMismatch`` if the attribute holds something else.
    public func getStringValues() throws -> [StringValue] {
        guard valueType == .string else { throw mismatch("text") }
        return try values.map { StringValue(value: try read($0, \.string, "text"), day: $0.day) }
    }

    /// The values as yes or no, newest first, for tags.
    ///
    /// - Throws: ``ValueTypeMismatch`` if the attribute holds something else.
    public func getBoolValues() throws -> [BoolValue] {
        guard valueType == .boolean else { throw mismatch("yes or no") }
        return try values.map { BoolValue(value: try read($0, \.bool, "yes or no"), day: $0.day) }
    }

    /// The values as times of day, newest first, whether they are kept from midnight or, as bedtimes, from midday.
    ///
    /// - Throws: ``ValueTypeMismatch`` if the attribute holds something else, or a number no clock shows.
    public func getTimeOfDayValues() throws -> [TimeOfDayValue] {
        guard valueType == .minFromMidnight || valueType == .minFromMidday else { throw mismatch("times of day") }
        return try values.map { item in
            guard let value = item.value else { return TimeOfDayValue(value: nil, day: item.day) }
            guard let time = value.timeOfDay(as: valueType) else { throw mismatch("times of day") }
            return TimeOfDayValue(value: time, day: item.day)
        }
    }

    private func read<Value>(
        _ item: DayValue, _ reading: KeyPath<AttributeValue, Value?>, _ wanted: String
    ) throws -> Value? {
        guard let value = item.value else { return nil }
        guard let found = value[keyPath: reading] else { throw mismatch(wanted) }
        return found
    }

    private func mismatch(_ wanted: String) -> ValueTypeMismatch {
        ValueTypeMismatch(attribute: name, valueType: valueType, wanted: wanted)
    }
}
