import Foundation
import PledgeCoding
import PledgeHTTP

// These are the calls of version 1, with the parameter names of version 1. They are disfavored: if a call fits both
// versions, the compiler uses the current version.
extension ExistAPI {
    /// Fetches attributes with their values. In this function, `limit` is the maximum number of days.
    @_disfavoredOverload
    @available(*, deprecated, message: "Use days: instead of limit:, and from: and through: with an ExistDay.")
    public func attributes(
        names: [String]? = nil, limit: Int? = nil, minDate: Date? = nil, maxDate: Date? = nil
    ) -> Promise<AttributesOutput> {
        attributes(names: names, days: limit, from: day(minDate), through: day(maxDate))
    }

    /// Fetches a page of insights, with the parameters of version 1.
    @_disfavoredOverload
    @available(*, deprecated, message: "Use page: instead of pageIndex:, and from: and through: with an ExistDay.")
    public func insights(
        limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil, maxDate: Date? = nil
    ) -> Promise<InsightsOutput> {
        insights(limit: limit, page: pageIndex, from: day(minDate), through: day(maxDate))
    }

    /// Fetches the user's averages, with the parameters of version 1.
    @_disfavoredOverload
    @available(*, deprecated, message: "Use page: instead of pageIndex:, and from: and through: with an ExistDay.")
    public func averages(
        for attribute: String? = nil, limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil,
        maxDate: Date? = nil
    ) -> Promise<AveragesOutput> {
        averages(for: attribute, limit: limit, page: pageIndex, from: day(minDate), through: day(maxDate))
    }

    /// Fetches correlations. The service returns only the latest correlations, even if `latest` is false. Correlations
    /// outside the requested days are removed on this device.
    @_disfavoredOverload
    @available(*, deprecated, message: "The service returns only the latest: filter the result.")
    public func correlations(
        for attribute: String? = nil, limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil,
        maxDate: Date? = nil, latest: Bool? = nil
    ) -> Promise<CorrelationsOutput> {
        let first = day(minDate)
        let last = day(maxDate)
        return correlations(for: attribute, limit: limit, page: pageIndex).map(on: nil) { response in
            let kept = response.correlations.filter { $0.day >= first ?? $0.day && $0.day <= last ?? $0.day }
            return (correlations: kept, response: response.response)
        }
    }

    private func day(_ date: Date?) -> ExistDay? { date.map { ExistDay($0, in: timeZone) } }
}

/// A page of insights. This is the name of version 1. Now the pages of every list have the type ``ExistPage``.
public typealias InsightResponse = ExistPage<Insight>

extension ExistPage {
    /// The number of items on all pages or, if the service does not report it, on this page. The new name,
    /// `totalCount`, makes clear that this property is not the number of items on this page.
    @available(*, deprecated, renamed: "totalCount")
    public var count: Int { totalCount ?? results.count }
}

/// An integer together with its day.
public typealias IntValue = DatedValue<Int>
/// A number together with its day.
public typealias FloatValue = DatedValue<Double>
/// A text together with its day.
public typealias StringValue = DatedValue<String>
/// A value that was stored.
public typealias SuccessfullyUpdatedAttribute = UpdatedAttribute
/// A value that was not stored.
public typealias FailedToUpdateAttribute = FailedAttribute

/// A value as the service sent it, together with its day.
@available(*, deprecated, renamed: "DatedValue", message: "Its value is an AttributeValue now; string reads a text.")
public typealias AttributeData = DatedValue<AttributeValue>

/// A type whose values can be read as integers, numbers, or text. ``Attribute`` is the only such type.
@available(*, deprecated, message: "Use Attribute.")
public protocol AttributeValues {
    /// Returns the values as integers with their days.
    func getIntValues() throws -> [IntValue]
    /// Returns the values as floating-point numbers with their days.
    func getFloatValues() throws -> [FloatValue]
    /// Returns the values as text with their days.
    func getStringValues() throws -> [StringValue]
}

@available(*, deprecated, message: "Use Attribute.")
extension Attribute: AttributeValues {}

/// A type for a value together with its day. ``DatedValue`` is the only type that conforms to this protocol.
@available(*, deprecated, message: "Use DatedValue.")
public protocol ValueObject {
    /// The type of the value.
    associatedtype ValueType
    /// The first moment of the day.
    var date: Date { get }
    /// The value on that day; nil if there is none.
    var value: ValueType? { get }
}

@available(*, deprecated, message: "Use DatedValue.")
extension DatedValue: ValueObject {
    public typealias ValueType = Value
}

/// A pattern for `catch` clauses of version 1. `catch AttributeError.wrongAttributeValueType` matches a
/// ``ValueTypeMismatch``, which contains more details.
@available(*, deprecated, renamed: "ValueTypeMismatch")
public struct AttributeError: Error, Equatable, Sendable {
    /// The attribute does not have values of the requested type.
    public static let wrongAttributeValueType = AttributeError()

    private init() {}

    /// Returns whether an error is a ``ValueTypeMismatch``, which the kit now throws instead of an ``AttributeError``.
    public static func ~= (pattern: AttributeError, error: any Error) -> Bool { error is ValueTypeMismatch }
}

// As in version 1, these models have a `date`. It is the first moment of their day in the device's time zone.
extension Average {
    /// The first moment, in the device's time zone, of the day on which the average was computed.
    public var date: Date { day.date }
}

extension Correlation {
    /// The first moment, in the device's time zone, of the day on which the correlation was computed.
    public var date: Date { day.date }
}

extension UpdatedAttribute {
    /// The first moment of the day in the device's time zone; nil if the day is unknown.
    public var date: Date? { day?.date }
}

extension FailedAttribute {
    /// The first moment of the day in the device's time zone; nil if the day is unknown.
    public var date: Date? { day?.date }
}

extension AttributeUpdate {
    /// The first moment of the day in the device's time zone.
    public var date: Date { day.date }

    /// Returns the update as a dictionary, with the names and values that are sent. Throws `EncodingError` if the
    /// number is not finite.
    public func dictionaryRepresentation() throws -> [String: Any]? {
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(item)) as? [String: Any]
    }
}

extension User {
    /// Whether the user prefers imperial units for at least one quantity. Version 2 of the service has a separate
    /// setting for each quantity.
    public var imperialUnits: Bool {
        imperialDistance || imperialWeight || imperialEnergy || imperialLiquid || imperialTemperature
    }

    /// The user's numeric ID, which version 2 of the service does not have.
    @available(*, deprecated, message: "Version 2 of the service has no numeric ID; use username.")
    public var id: Int? { nil }
    /// The user's biography, which version 2 of the service does not have.
    @available(*, deprecated, message: "Version 2 of the service has no biography.")
    public var bio: String? { nil }
    /// The user's URL, which version 2 of the service does not have.
    @available(*, deprecated, message: "Version 2 of the service has no URL of the user.")
    public var url: String? { nil }
}
