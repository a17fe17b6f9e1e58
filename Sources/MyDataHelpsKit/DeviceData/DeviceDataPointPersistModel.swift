import Foundation

/// A point to store, or the new values of a point that already exists.
///
/// The service identifies points by `identifier`, `type`, `startDate` and `observationDate`, and updates all other
/// fields of a point with the same four: one you omit may be cleared. Provide at least an identifier, a type and the
/// date of the observation, not of sending: only then is the request idempotent, so that this kit retries it.
public struct DeviceDataPointPersistModel: Encodable, Hashable, Sendable {
    /// Your identifier for the point.
    public var identifier: String?
    /// The type of the observation, as named by you.
    public var type: String
    /// The value of the point as text.
    public var value: String
    /// The unit of the value.
    public var units: String?
    /// Additional properties, with names of your choice.
    public var properties: [String: String]
    /// The device or app that the point comes from.
    public var source: DeviceDataPointSource?
    /// The date the observation began.
    public var startDate: Date?
    /// The date of the observation, or its end.
    public var observationDate: Date?

    /// Creates a point to store; always in the namespace `Project`.
    public init(
        identifier: String?, type: String, value: String, units: String? = nil, properties: [String: String] = [:],
        source: DeviceDataPointSource? = nil, startDate: Date? = nil, observationDate: Date? = nil
    ) {
        self.identifier = identifier
        self.type = type
        self.value = value
        self.units = units
        self.properties = properties
        self.source = source
        self.startDate = startDate
        self.observationDate = observationDate
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, type, value, units, properties, source, startDate, observationDate
    }

    /// Encodes the point, with dates in UTC and without values that are nil.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(identifier, forKey: .identifier)
        try container.encode(type, forKey: .type)
        try container.encode(value, forKey: .value)
        try container.encodeIfPresent(units, forKey: .units)
        try container.encode(properties, forKey: .properties)
        try container.encodeIfPresent(source, forKey: .source)
        try container.encodeIfPresent(startDate.map(ServiceDate.text), forKey: .startDate)
        try container.encodeIfPresent(observationDate.map(ServiceDate.text), forKey: .observationDate)
    }
}

extension DeviceDataPointPersistModel {
    /// The fields by which the service identifies a point, with dates to the millisecond.
    var naturalKey: [String?] {
        [identifier, type, startDate.map(ServiceDate.text), observationDate.map(ServiceDate.text)]
    }

    var isRepeatable: Bool { identifier != nil && observationDate != nil }
}
