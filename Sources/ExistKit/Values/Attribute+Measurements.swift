import Foundation

extension Attribute {
    /// The unit Exist keeps its values in: metric, but for rain, which is in inches an hour. Nil where they have none,
    /// as counts, ratings and money, which is in the user's own currency.
    public var unit: Dimension? { AttributeQuantity(self)?.stored }

    /// The unit a user wants to see it in, as the profile says.
    public func unit(for user: User) -> Dimension? { AttributeQuantity(self)?.shown(to: user) }

    /// The values with their unit, newest first, for distances, weights, energy, liquids, temperatures, durations…
    ///
    /// ```swift
    /// for item in try weight.getMeasurements(for: user) { print(item.day, item.value ?? "–") }
    /// ```
    ///
    /// - Parameter user: who is to see them, and so whether in miles or in kilometres; in the units Exist keeps, which
    ///   are metric, unless given.
    /// - Throws: ``ValueTypeMismatch`` if the attribute has no unit, or one of its values is no number.
    public func getMeasurements(for user: User? = nil) throws -> [DatedValue<Measurement<Dimension>>] {
        guard let quantity = AttributeQuantity(self) else {
            throw ValueTypeMismatch(attribute: name, valueType: valueType, wanted: "measurements")
        }
        let shown = user.map(quantity.shown) ?? quantity.stored
        return try getFloatValues().map { item in
            let value = item.value.map { Measurement(value: $0, unit: quantity.stored).converted(to: shown) }
            return DatedValue(day: item.day, value: value)
        }
    }
}
