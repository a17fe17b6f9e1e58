import Foundation
import PledgeCoding
import PledgeHTTP

// The calls of version 1, with its parameter names for days; disfavored where a call is ambiguous.
extension ExistAPI {
    /// Fetches attributes with their values; here, `limit` is a number of days.
    @_disfavoredOverload
    @available(*, deprecated, message: "Use days: instead of limit:, and from: and through: with an ExistDay.")
    public func attributes(
        names: [String]? = nil, limit: Int? = nil, minDate: Date? = nil, maxDate: Date? = nil
    ) -> Promise<AttributesOutput> {
        attributes(names: names, days: limit, from: day(minDate), through: day(maxDate))
    }

    /// Fetches a page of insights.
    @_disfavoredOverload
    @available(*, deprecated, message: "Use page: instead of pageIndex:, and from: and through: with an ExistDay.")
    public func insights(
        limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil, maxDate: Date? = nil
    ) -> Promise<InsightsOutput> {
        insights(limit: limit, page: pageIndex, from: day(minDate), through: day(maxDate))
    }

    /// Fetches the averages of the user's week.
    @_disfavoredOverload
    @available(*, deprecated, message: "Use page: instead of pageIndex:, and from: and through: with an ExistDay.")
    public func averages(
        for attribute: String? = nil, limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil,
        maxDate: Date? = nil
    ) -> Promise<AveragesOutput> {
        averages(for: attribute, limit: limit, page: pageIndex, from: day(minDate), through: day(maxDate))
    }

    /// Fetches correlations. The service has only the latest, whatever `latest` is; the days are filtered locally.
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

/// A page of insights. Version 1 used this name for what is now the envelope of every list.
public typealias InsightResponse = ExistPage<Insight>

extension ExistPage {
    /// The number of items on all pages, which is easily mistaken for that of this page.
    @available(*, deprecated, renamed: "totalCount")
    public var count: Int { totalCount }
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

/// A value as it was sent, together with its day.
@available(*, deprecated, renamed: "DatedValue", message: "Its value is an AttributeValue now; string reads a text.")
public typealias AttributeData = DatedValue<AttributeValue>

/// A type with values of several kinds: an ``Attribute``.
@available(*, deprecated, message: "Use Attribute.")
public protocol AttributeValues {
    /// Returns the values as integers.
    func getIntValues() throws -> [IntValue]
    /// Returns the values as numbers.
    func getFloatValues() throws -> [FloatValue]
    /// Returns the values as text.
    func getStringValues() throws -> [StringValue]
}

@available(*, deprecated, message: "Use Attribute.")
extension Attribute: AttributeValues {}

/// A value of some type and its day: a ``DatedValue``.
@available(*, deprecated, message: "Use DatedValue.")
public protocol ValueObject {
    /// The type of the value.
    associatedtype ValueType
    /// The first moment of the day.
    var date: Date { get }
    /// The value of that day, in its own type.
    var value: ValueType? { get }
}

@available(*, deprecated, message: "Use DatedValue.")
extension DatedValue: ValueObject {
    public typealias ValueType = Value
}

/// A pattern that makes `catch AttributeError.wrongAttributeValueType` match a ``ValueTypeMismatch``, which says more.
@available(*, deprecated, renamed: "ValueTypeMismatch")
public struct AttributeError: Error, Equatable, Sendable {
    /// The attribute does not have values of the requested type.
    public static let wrongAttributeValueType = AttributeError()

    private init() {}

    /// Returns whether the error is the one thrown today.
    public static func ~= (pattern: AttributeError, error: any Error) -> Bool { error is ValueTypeMismatch }
}

// The first moment of the models' days in the device's time zone, as in version 1.
extension Average {
    /// The first moment of the day the average was computed, in the device's time zone.
    public var date: Date { day.date }
}

extension Correlation {
    /// The first moment of the day the correlation was computed, in the device's time zone.
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

    /// Returns the item as it is sent, as a dictionary; throws `EncodingError` if the number is not finite.
    public func dictionaryRepresentation() throws -> [String: Any]? {
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(item)) as? [String: Any]
    }
}

extension User {
    /// Whether any quantity is shown in imperial units. Version 2 of the service has a setting for each.
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
