import Foundation

/// A measurement to store, in any unit. It is converted to the unit that Exist stores.
///
/// ```swift
/// let pounds = Measurement(value: 145, unit: UnitMass.pounds)
/// existAPI.update(attributes: [try MeasurementAttributeUpdate(name: "weight", day: day, value: pounds)])
/// ```
public struct MeasurementAttributeUpdate: AttributeUpdate, Equatable {
    public let name: String
    public let day: ExistDay
    /// The number as it is sent, in the unit that Exist stores, and rounded if Exist accepts only whole numbers.
    public let update: AttributeValue

    /// Creates an update for an attribute named after its template; throws ``UnitMismatch``.
    public init(name: String, day: ExistDay, value: Measurement<some Dimension>) throws(UnitMismatch) {
        try self.init(name, AttributeQuantity(template: name), day, value)
    }

    /// Creates an update that uses the attribute's unit; throws ``UnitMismatch``.
    public init(_ attribute: Attribute, day: ExistDay, value: Measurement<some Dimension>) throws(UnitMismatch) {
        try self.init(attribute.name, AttributeQuantity(attribute), day, value)
    }

    private init(
        _ name: String, _ quantity: AttributeQuantity?, _ day: ExistDay, _ value: Measurement<some Dimension>
    ) throws(UnitMismatch) {
        let unit = quantity?.stored.dimension
        guard let quantity, let unit, type(of: unit) == type(of: value.unit as Dimension) else {
            throw UnitMismatch(attribute: name, unit: Self.words(for: value.unit), stored: unit.map(Self.words))
        }
        let base = value.unit.converter.baseUnitValue(fromValue: value.value)
        let number = unit.converter.value(fromBaseUnitValue: base)
        self.name = name
        self.day = day
        // Keep a number that is not finite, which is rejected when it is sent.
        let whole = quantity.isWhole ? Int(exactly: number.rounded()) : nil
        update = whole.map { .integer($0) } ?? .decimal(number)
    }
}

extension MeasurementAttributeUpdate {
    /// Returns the unit's symbol, or its name for durations, since most people read `m` as meters.
    private static func words(for unit: Dimension) -> String {
        switch unit {
        case UnitDuration.hours: "hours"
        case UnitDuration.minutes: "minutes"
        case UnitDuration.seconds: "seconds"
        default: unit.symbol
        }
    }
}

/// An error thrown when a measurement's unit does not fit its attribute.
public struct UnitMismatch: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the attribute that was to be written.
    public let attribute: String
    /// The symbol of the given unit, or its name for durations.
    public let unit: String
    /// The unit that Exist stores, in the same form; nil if the attribute has no known unit.
    public let stored: String?

    /// A sentence that states what to do instead.
    public var description: String {
        stored.map { "“\(attribute)” is stored in \($0), to which \(unit) cannot be converted: use another unit." }
            ?? "No unit is known for “\(attribute)”: store a number, with IntAttributeUpdate or FloatAttributeUpdate."
    }
}
