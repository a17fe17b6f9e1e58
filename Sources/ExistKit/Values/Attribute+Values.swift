import Foundation
import PledgeCoding

/// A value together with its day.
public struct DatedValue<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The day of the value. For a bedtime after midnight, it is the previous day.
    public var day: ExistDay
    /// The value on that day; nil if nothing is known, which for a tag means no.
    public var value: Value?
    /// The first moment of the day in the device's time zone.
    public var date: Date { day.date }

    /// Creates a value for a day.
    public init(day: ExistDay, value: Value?) {
        self.day = day
        self.value = value
    }
}

extension DatedValue: Decodable, Readable where Value == AttributeValue {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
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

/// An error thrown when an attribute's values are not of the requested type.
public struct ValueTypeMismatch: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the attribute that was read.
    public let attribute: String
    /// The type of the attribute's values.
    public let valueType: ValueType
    /// A description of the requested values.
    public let wanted: String

    /// A sentence that names the property or method to use instead.
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
    /// Returns the values as integers, newest first, for counts, minutes, times of day, tags, and ratings. Throws
    /// ``ValueTypeMismatch`` for another type or if a value is not an integer: none is dropped; ``values`` has them
    /// unchanged.
    public func getIntValues() throws -> [DatedValue<Int>] {
        let isWhole = [.int, .periodMin, .minFromMidnight, .minFromMidday, .boolean, .scale].contains(valueType)
        return try values(isWhole, as: "whole numbers", \.int)
    }

    /// Returns the values as numbers, newest first, for all types except text; throws ``ValueTypeMismatch`` for text.
    public func getFloatValues() throws -> [DatedValue<Double>] {
        if case .unknown = valueType { throw mismatch("numbers") }
        return try values(valueType != .string, as: "numbers", \.double)
    }

    /// Returns the values as text, newest first; throws ``ValueTypeMismatch`` for another type.
    public func getStringValues() throws -> [DatedValue<String>] {
        try values(valueType == .string, as: "text", \.string)
    }

    /// Returns the values as Booleans, newest first, for tags; throws ``ValueTypeMismatch`` for another type.
    public func getBoolValues() throws -> [DatedValue<Bool>] {
        try values(valueType == .boolean, as: "yes or no", \.bool)
    }

    /// Returns the values as times of day, newest first, whether they count from midnight or, as bedtimes, from midday.
    /// Throws ``ValueTypeMismatch`` for another type, or if a value is not a time of day.
    public func getTimeOfDayValues() throws -> [DatedValue<TimeOfDay>] {
        try values(valueType == .minFromMidnight || valueType == .minFromMidday, as: "times of day") {
            $0.timeOfDay(as: valueType)
        }
    }

    private func values<Value>(
        _ isOfType: Bool, as wanted: String, _ read: (AttributeValue) -> Value?
    ) throws -> [DatedValue<Value>] {
        guard isOfType else { throw mismatch(wanted) }
        return try values.map { item in
            let value = item.value.flatMap(read)
            if value == nil, item.value != nil { throw mismatch(wanted) }
            return DatedValue(day: item.day, value: value)
        }
    }

    private func mismatch(_ wanted: String) -> ValueTypeMismatch {
        ValueTypeMismatch(attribute: name, valueType: valueType, wanted: wanted)
    }
}
