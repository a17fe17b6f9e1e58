import Foundation

/// A measurement to store, in any unit: it is sent in the one Exist keeps.
///
/// ```swift
/// let pounds = Measurement(value: 145, unit: UnitMass.pounds)
/// existAPI.update(attributes: [try MeasurementAttributeUpdate(name: "weight", day: day, value: pounds)])
/// ```
public struct MeasurementAttributeUpdate: AttributeUpdate, Equatable {
    /// The name of the attribute to write.
    public let name: String
    /// The day the value is of.
    public let day: ExistDay
    /// The number as it is sent: in the unit Exist keeps, and whole where it takes whole numbers only.
    public let update: AttributeValue

    /// For an attribute that is named like its template, as those made from one are.
    ///
    /// - Throws: ``UnitMismatch``.
    public init(name: String, day: ExistDay, value: Measurement<some Dimension>) throws(UnitMismatch) {
        try self.init(name, AttributeQuantity(template: name), day, value)
    }

    /// Makes an update that knows the attribute's unit.
    ///
    /// - Throws: ``UnitMismatch``.
    public init(_ attribute: Attribute, day: ExistDay, value: Measurement<some Dimension>) throws(UnitMismatch) {
        try self.init(attribute.name, AttributeQuantity(attribute), day, value)
    }

    private init(
        _ name: String, _ quantity: AttributeQuantity?, _ day: ExistDay, _ value: Measurement<some Dimension>
    ) throws(UnitMismatch) {
        guard let quantity, type(of: quantity.stored) == type(of: value.unit as Dimension) else {
            throw UnitMismatch(
                attribute: name, unit: Self.words(for: value.unit), stored: quantity.map { Self.words(for: $0.stored) })
        }
        let base = value.unit.converter.baseUnitValue(fromValue: value.value)
        let number = quantity.stored.converter.value(fromBaseUnitValue: base)
        self.name = name
        self.day = day
        // A number that is not finite stays one, and is refused when it is sent.
        let whole = quantity.isWhole ? Int(exactly: number.rounded()) : nil
        update = whole.map { .integer($0) } ?? .decimal(number)
    }
}

extension MeasurementAttributeUpdate {
    /// The unit's symbol; of times a word, since `m` is metres to most.
    private static func words(for unit: Dimension) -> String {
        switch unit {
        case UnitDuration.hours: "hours"
        case UnitDuration.minutes: "minutes"
        case UnitDuration.seconds: "seconds"
        default: unit.symbol
        }
    }
}

/// A measurement does not fit its attribute.
public struct UnitMismatch: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the attribute that was meant.
    public let attribute: String
    /// The unit that was given, by its symbol; of times by its name.
    public let unit: String
    /// The unit that Exist keeps, likewise; nil if none is known for the attribute.
    public let stored: String?

    /// A sentence that says what to do instead.
    public var description: String {
        stored.map { "“\(attribute)” is kept in \($0), to which \(unit) cannot be converted: give another unit." }
            ?? "No unit is known for “\(attribute)”: store a number, with IntAttributeUpdate or FloatAttributeUpdate."
    }
}
