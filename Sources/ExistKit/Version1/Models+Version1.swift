import Foundation

/// A page of insights: version 1's name for what is now the envelope of every list.
public typealias InsightResponse = ExistPage<Insight>

/// A whole number and its day.
public typealias IntValue = DatedValue<Int>
/// A number and its day.
public typealias FloatValue = DatedValue<Double>
/// Text and its day.
public typealias StringValue = DatedValue<String>
/// A value that was stored.
public typealias SuccessfullyUpdatedAttribute = UpdatedAttribute
/// A value that was not stored.
public typealias FailedToUpdateAttribute = FailedAttribute

/// A value and its day, as it was sent.
@available(*, deprecated, renamed: "DatedValue", message: "Its value is an AttributeValue now; string reads a text.")
public typealias AttributeData = DatedValue<AttributeValue>

/// What has values of several kinds: an ``Attribute``.
@available(*, deprecated, message: "Say Attribute.")
public protocol AttributeValues {
    /// The values as whole numbers.
    func getIntValues() throws -> [IntValue]
    /// The values as numbers.
    func getFloatValues() throws -> [FloatValue]
    /// The values as text.
    func getStringValues() throws -> [StringValue]
}

@available(*, deprecated, message: "Say Attribute.")
extension Attribute: AttributeValues {}

/// A value of some kind and its day: a ``DatedValue``.
@available(*, deprecated, message: "Say DatedValue.")
public protocol ValueObject {
    /// The kind of value it holds.
    associatedtype ValueType
    /// The first moment of the day.
    var date: Date { get }
    /// The value, in the kind it is of.
    var value: ValueType? { get }
}

@available(*, deprecated, message: "Say DatedValue.")
extension DatedValue: ValueObject {
    /// The kind of value it holds.
    public typealias ValueType = Value
}

/// What `catch AttributeError.wrongAttributeValueType` finds: a ``ValueTypeMismatch``, which says more.
@available(*, deprecated, renamed: "ValueTypeMismatch")
public struct AttributeError: Error, Equatable, Sendable {
    /// The attribute does not hold such values.
    public static let wrongAttributeValueType = AttributeError()

    private init() {}

    /// Whether it is what is thrown today.
    public static func ~= (pattern: AttributeError, error: any Error) -> Bool { error is ValueTypeMismatch }
}

// What code for version 1 asks of the models: the first moment, on the device, of the day that is in them.
extension Average {
    /// The first moment, on the device, of the day it was made.
    public var date: Date { day.date }
}

extension Correlation {
    /// The first moment, on the device, of the day it was made.
    public var date: Date { day.date }
}

extension UpdatedAttribute {
    /// The first moment of that day on the device, where the service repeats it.
    public var date: Date? { day?.date }
}

extension FailedAttribute {
    /// The first moment of that day on the device, as far as the service repeats it.
    public var date: Date? { day?.date }
}

extension AttributeUpdate {
    /// The first moment of that day on the device.
    public var date: Date { day.date }

    /// What is sent, by name.
    public func dictionaryRepresentation() -> [String: Any] {
        let value: Any =
            switch update {
            case .integer(let value): value
            case .decimal(let value): value
            case .text(let value): value
            case .other(let value): value
            }
        return ["name": name, "date": day.description, "value": value]
    }
}

extension User {
    /// Whether any quantity is shown in imperial units: version 2 of the service asks for each by itself.
    public var imperialUnits: Bool {
        imperialDistance || imperialWeight || imperialEnergy || imperialLiquid || imperialTemperature
    }

    /// Version 2 of the service has no numbers for users.
    @available(*, deprecated, message: "Version 2 of the service has none; use username.")
    public var id: Int? { nil }
    /// Version 2 of the service does not tell it.
    @available(*, deprecated, message: "Version 2 of the service has none.")
    public var bio: String? { nil }
    /// Version 2 of the service does not tell it.
    @available(*, deprecated, message: "Version 2 of the service has none.")
    public var url: String? { nil }
}
