import Foundation
import PledgeCoding

/// A value and its day.
public struct DatedValue<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The day, which for a bedtime after midnight is the day before.
    public var day: ExistDay
    /// What it held; nil if nothing is known of that day, which for a tag means no.
    public var value: Value?
    /// The first moment of that day on the device.
    public var date: Date { day.date }

    /// A value and its day.
    public init(day: ExistDay, value: Value?) {
        self.day = day
        self.value = value
    }
}

extension DatedValue: Decodable, Readable where Value == AttributeValue {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        day = try ExistDay(reading: fields.required("date"))
        value = try fields.read(AttributeValue.self, "value")
    }
}

extension DatedValue: Encodable where Value: Encodable {
    private enum CodingKeys: String, CodingKey {
        case value
        case day = "date"
    }
}

/// An attribute was asked for values of a kind it does not hold.
public struct ValueTypeMismatch: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the attribute that was read.
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
    public func getIntValues() throws -> [DatedValue<Int>] {
        switch valueType {
        case .int, .periodMin, .minFromMidnight, .minFromMidday, .boolean, .scale: break
        case .float, .percentage, .string, .unknown: throw mismatch("whole numbers")
        }
        return try values.map { DatedValue(day: $0.day, value: try read($0, \.int, "whole numbers")) }
    }

    /// The values as numbers, newest first, for everything but text.
    ///
    /// - Throws: ``ValueTypeMismatch`` if the attribute holds something else.
    public func getFloatValues() throws -> [DatedValue<Double>] {
        switch valueType {
        case .string, .unknown: throw mismatch("numbers")
        default: return try values.map { DatedValue(day: $0.day, value: try read($0, \.double, "numbers")) }
        }
    }

    /// The values as text, newest first.
    ///
    /// - Throws: ``ValueTypeMismatch`` if the attribute holds something else.
    public func getStringValues() throws -> [DatedValue<String>] {
        guard valueType == .string else { throw mismatch("text") }
        return try values.map { DatedValue(day: $0.day, value: try read($0, \.string, "text")) }
    }

    /// The values as yes or no, newest first, for tags.
    ///
    /// - Throws: ``ValueTypeMismatch`` if the attribute holds something else.
    public func getBoolValues() throws -> [DatedValue<Bool>] {
        guard valueType == .boolean else { throw mismatch("yes or no") }
        return try values.map { DatedValue(day: $0.day, value: try read($0, \.bool, "yes or no")) }
    }

    /// The values as times of day, newest first, whether they are kept from midnight or, as bedtimes, from midday.
    ///
    /// - Throws: ``ValueTypeMismatch`` if the attribute holds something else, or a number no clock shows.
    public func getTimeOfDayValues() throws -> [DatedValue<TimeOfDay>] {
        guard valueType == .minFromMidnight || valueType == .minFromMidday else { throw mismatch("times of day") }
        return try values.map { item in
            guard let value = item.value else { return DatedValue(day: item.day, value: nil) }
            guard let time = value.timeOfDay(as: valueType) else { throw mismatch("times of day") }
            return DatedValue(day: item.day, value: time)
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
