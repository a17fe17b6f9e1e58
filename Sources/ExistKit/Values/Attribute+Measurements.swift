import Foundation

extension Attribute {
    /// The unit in which Exist stores the values: metric, except rain, which is in inches per hour. Nil for counts,
    /// ratings, times of day, and money, which is in the user's own currency.
    public var unit: Dimension? { storedUnit?.dimension }

    /// Returns the unit in which to show the values to a user, as set in the profile: rain in millimeters per hour, if
    /// the user prefers kilometers.
    public func unit(for user: User) -> Dimension? { shownUnit(for: user)?.dimension }

    /// Returns the values with their unit, newest first, for distances, weights, energy, temperatures, durations…
    ///
    /// ```swift
    /// for item in try weight.getMeasurements(for: user) { print(item.day, item.value ?? "–") }
    /// ```
    ///
    /// The user's settings determine their unit, which is ``unit`` without a user. Throws ``ValueTypeMismatch`` if the
    /// attribute has no unit or a value is not a number.
    public func getMeasurements(for user: User? = nil) throws -> [DatedValue<Measurement<Dimension>>] {
        guard let unit else {
            throw ValueTypeMismatch(attribute: name, valueType: valueType, wanted: "measurements")
        }
        let shown = user.flatMap { self.unit(for: $0) } ?? unit
        return try getFloatValues().map { item in
            let value = item.value.map { Measurement(value: $0, unit: unit).converted(to: shown) }
            return DatedValue(day: item.day, value: value)
        }
    }
}
