import Foundation

/// A point to store, or the new state of one that is stored already.
///
/// The service tells points apart by `identifier`, `type`, `startDate` and `observationDate`. A point with the same
/// four is updated in every other field: one you leave out may be cleared. Give at least an identifier, a type and an
/// observation date, and take the date from what was observed, never from the clock at the time of sending: only then
/// is sending twice the same as sending once, and only then does this kit try again by itself.
public struct DeviceDataPointPersistModel: Encodable, Hashable, Sendable {
    /// What you call it.
    public var identifier: String?
    /// What was observed, in a word of your own.
    public var type: String
    /// The value as text.
    public var value: String
    /// What the value counts.
    public var units: String?
    /// More about the point, in names of your own.
    public var properties: [String: String]
    /// What device or app it comes from.
    public var source: DeviceDataPointSource?
    /// When what was observed began.
    public var startDate: Date?
    /// When it was taken, or ended.
    public var observationDate: Date?

    /// A point to store; always in the namespace `Project`.
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

    /// Writes a point: dates in UTC, and nothing for what is nil.
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
    /// What the service tells points apart by, to the millisecond.
    struct NaturalKey: Hashable {
        var texts: [String?]
    }

    var naturalKey: NaturalKey {
        NaturalKey(texts: [identifier, type, startDate.map(ServiceDate.text), observationDate.map(ServiceDate.text)])
    }

    /// Whether storing it twice is surely the same as storing it once.
    var isRepeatable: Bool { identifier != nil && observationDate != nil }
}
