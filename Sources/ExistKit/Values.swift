import Foundation
import PledgeCoding

/// A value together with its day.
public struct DatedValue<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The day of the value. A bedtime after midnight belongs to the previous day.
    public var day: ExistDay
    /// The value on that day; nil if Exist has no value for it. For a tag, nil means that the tag is not set.
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
        // A value that can't be decoded makes the whole item unreadable. Otherwise, the day would seem to have no value.
        if let found = fields.present("value") { value = try AttributeValue(reading: found) }
    }
}

extension DatedValue: Encodable where Value: Encodable {
    private enum CodingKeys: String, CodingKey {
        case value
        case day = "date"
    }
}

/// An error that is thrown if an attribute's values are not of the requested type.
public struct ValueTypeMismatch: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the attribute whose values were read.
    public let attribute: String
    /// The type of the attribute's values.
    public let valueType: ValueType
    /// The kind of values that the caller requested, such as “whole numbers”.
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
    /// Returns the values as integers, newest first. Use this for counts, minutes, times of day, tags, and ratings.
    ///
    /// Throws ``ValueTypeMismatch`` if the attribute is of another type, or if one of its values is not an integer.
    /// ``values`` contains all values unchanged.
    public func getIntValues() throws -> [DatedValue<Int>] {
        let isWhole = [.int, .periodMin, .minFromMidnight, .minFromMidday, .boolean, .scale].contains(valueType)
        return try values(isWhole, as: "whole numbers", \.int)
    }

    /// Returns the values as floating-point numbers, newest first. Use this for all types except text.
    ///
    /// Throws ``ValueTypeMismatch`` if the attribute's type is text or unknown, or if one of its values is not a
    /// number.
    public func getFloatValues() throws -> [DatedValue<Double>] {
        if case .unknown = valueType { throw mismatch("numbers") }
        return try values(valueType != .string, as: "numbers", \.double)
    }

    /// Returns the values as text, newest first. Throws ``ValueTypeMismatch`` if the attribute is of another type, or
    /// if one of its values is not text.
    public func getStringValues() throws -> [DatedValue<String>] {
        try values(valueType == .string, as: "text", \.string)
    }

    /// Returns a tag's values as Booleans, newest first. Throws ``ValueTypeMismatch`` if the attribute is not a tag, or
    /// if one of its values is neither 1 nor 0.
    public func getBoolValues() throws -> [DatedValue<Bool>] {
        try values(valueType == .boolean, as: "yes-or-no values", \.bool)
    }

    /// Returns the values as times of day, newest first. The attribute may count minutes from midnight or, as bedtimes
    /// do, from midday.
    ///
    /// Throws ``ValueTypeMismatch`` if the attribute is of another type, or if one of its values is not a time of day.
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

extension ValueType {
    /// Decodes a list of days and their values, which are of this type.
    func values(in list: TapeValue) throws(TapeFailure) -> ([Attribute.DayValue], [UnreadableItem]) {
        var (values, unreadable): ([Attribute.DayValue], [UnreadableItem]) = ([], [])
        // With reserved capacity, the array doesn't grow step by step. For a month of values, this saves a twelfth of
        // the processor instructions.
        values.reserveCapacity(list.count)
        try list.forEach { (index, item) throws(TapeFailure) in
            do throws(TapeFailure) {
                var fields = try item.fields()
                let day = try ExistDay(reading: fields.required("date"))
                let found = fields.present("value")
                // If the value can't be decoded, the day stays in the list, without its value. The value is lost, and
                // counts as such: a sync must not take it for a value that the service has removed.
                values.append(Attribute.DayValue(day: day, value: nil))
                if let found { values[values.count - 1].value = try value(found) }
            } catch {
                try list.record(index, in: &unreadable) { item.reason(error) }
            }
            if let remark = list.takeRemark() { unreadable.add(index, remarking: remark) }
        }
        return (values, unreadable)
    }

    /// Decodes a value of this type.
    @inline(__always)
    private func value(_ found: TapeValue) throws(TapeFailure) -> AttributeValue {
        guard let value = try AttributeValue(reading: found).read(as: self) else {
            throw found.failure(.mismatch(Double.self))
        }
        return value
    }
}

/// The value of an attribute on one day.
public enum AttributeValue: Hashable, Sendable {
    /// A whole number: a count, minutes, a rating, or 1 or 0 for a tag.
    case integer(Int)
    /// A decimal number. A whole number that is too large for an `Int` also has this case, and is rounded.
    case decimal(Double)
    /// A text, such as a note.
    case text(String)
    /// A value that is neither a number nor a text, as the service sent it. Only an attribute of an unknown type has
    /// such values.
    case other(JSONValue)
}

extension AttributeValue: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        switch source.kind {
        case .number:
            switch try source.number() {
            case .whole(let value): self = .integer(value)
            case .decimal(let value): self = .decimal(value)
            }
        case .text: self = .text(try source.text())
        case .null, .bool, .list, .object: self = .other(try JSONValue(reading: source))
        }
    }
}

extension AttributeValue: Codable {
    /// Encodes the number, the text, or the JSON value that the service sent.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .other(let value): try container.encode(value)
        }
    }
}

extension AttributeValue {
    /// Returns the value in the form that the given type requires; nil if the type can't have such a value.
    ///
    /// For a decimal type, `65` becomes a decimal, and `true` becomes `1.0`. For any other known type, `true` becomes
    /// the integer 1. A list or an object is a value of an unknown type only.
    package func read(as type: ValueType) -> AttributeValue? {
        switch (type, self) {
        case (.unknown, _): self
        case (.float, .integer(let value)), (.percentage, .integer(let value)): .decimal(Double(value))
        case (.float, .other(.bool(let flag))), (.percentage, .other(.bool(let flag))): .decimal(flag ? 1 : 0)
        case (_, .other(.bool(let flag))): .integer(flag ? 1 : 0)
        case (_, .other): nil
        default: self
        }
    }

    /// The number as an `Int`; nil for text and for a number that is not whole. `4174.0` counts as whole.
    public var int: Int? {
        switch self {
        case .integer(let value): value
        case .decimal(let value): Int(exactly: value)
        case .text, .other: nil
        }
    }

    /// The number as a `Double`, whether it is whole or not; nil for text.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): value
        case .text, .other: nil
        }
    }

    /// The text; nil for a number.
    public var string: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// Returns whether two values are equal. The decimal number `42.0` equals the integer `42`.
    func isSame(as other: AttributeValue) -> Bool { self == other || (double != nil && double == other.double) }

    /// True for 1 and false for 0; otherwise nil.
    public var bool: Bool? {
        switch int {
        case 1: true
        case 0: false
        default: nil
        }
    }
}

extension AttributeValue? {
    /// Returns whether there is a value that equals the given number or text. `item.value == 7` is also true if the
    /// value is `7.0`.
    public static func == (value: AttributeValue?, other: some StorableValue) -> Bool {
        value?.isSame(as: other.attributeValue) ?? false
    }

    /// Returns whether there is no value, or a value that differs from the given number or text.
    public static func != (value: AttributeValue?, other: some StorableValue) -> Bool { !(value == other) }
}

extension AttributeValue: CustomStringConvertible {
    /// The number or text in plain form.
    public var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .text(let value): value
        case .other(let value): "\(value)"
        }
    }
}

/// The type of an attribute's values (<https://developer.exist.io/reference/object_types/>). A type that the service
/// adds later is ``unknown(_:)``.
public enum ValueType: Hashable, Sendable {
    /// 0: A whole number.
    case int
    /// 1: A decimal number.
    case float
    /// 2: A text, such as a note.
    case string
    /// 3: A duration in whole minutes.
    case periodMin
    /// 4: A time of day, in whole minutes after midnight.
    case minFromMidnight
    /// 5: A fraction from 0 to 1.
    case percentage
    /// 6: A time of day, in whole minutes after midday, so that late nights sort after evenings.
    case minFromMidday
    /// 7: A Boolean value, sent as 1 or 0. Tags are of this type.
    case boolean
    /// 8: A rating from 1 to 9.
    case scale
    /// A type that this version does not know, with the service's number for it.
    case unknown(Int)
}

extension ValueType: RawRepresentable, Codable {
    /// Creates a type from the service's number.
    public init(rawValue: Int) {
        let known: [ValueType] = [
            .int, .float, .string, .periodMin, .minFromMidnight, .percentage, .minFromMidday, .boolean, .scale,
        ]
        self = known.indices.contains(rawValue) ? known[rawValue] : .unknown(rawValue)
    }

    public var rawValue: Int {
        switch self {
        case .int: 0
        case .float: 1
        case .string: 2
        case .periodMin: 3
        case .minFromMidnight: 4
        case .percentage: 5
        case .minFromMidday: 6
        case .boolean: 7
        case .scale: 8
        case .unknown(let number): number
        }
    }
}
