import Foundation

/// A total to store for a day. An array may contain several types: `[FloatAttributeUpdate(…), IntAttributeUpdate(…)]`.
public protocol AttributeUpdate: Sendable {
    /// The name of the attribute to write.
    var name: String { get }
    /// The day of the value.
    var day: ExistDay { get }
    /// The day's total, which replaces the stored one.
    var update: AttributeValue { get }
}

extension AttributeUpdate {
    var item: SentItem { SentItem(name: name, day: day, value: update) }
}

/// A type whose values can be stored directly: integers, decimal numbers, and text.
public protocol StorableValue: Sendable, Equatable {
    /// The value as it is sent.
    var attributeValue: AttributeValue { get }
}

extension Int: StorableValue {
    public var attributeValue: AttributeValue { .integer(self) }
}

extension Double: StorableValue {
    public var attributeValue: AttributeValue { .decimal(self) }
}

extension String: StorableValue {
    public var attributeValue: AttributeValue { .text(self) }
}

/// A value to store for a day.
public struct ValueUpdate<Value: StorableValue>: AttributeUpdate, Equatable {
    public var name: String
    public var day: ExistDay
    /// The value to store. Numbers must be finite and in metric units.
    public var value: Value
    /// The value as it is sent.
    public var update: AttributeValue { value.attributeValue }

    /// Creates an update for a day.
    public init(name: String, day: ExistDay, value: Value) {
        self.name = name
        self.day = day
        self.value = value
    }

    /// Creates an update for the day that contains a moment, in the device's time zone by default.
    public init(name: String, date: Date, value: Value, in zone: TimeZone = .current) {
        self.init(name: name, day: ExistDay(date, in: zone), value: value)
    }
}

extension ValueUpdate: Codable where Value: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value
        case day = "date"
    }
}

/// An integer to store: a count, minutes, a time of day, a tag (1 or 0), or a rating (1 to 9).
public typealias IntAttributeUpdate = ValueUpdate<Int>
/// A decimal number or fraction to store.
public typealias FloatAttributeUpdate = ValueUpdate<Double>
/// A text to store, such as a note.
public typealias StringAttributeUpdate = ValueUpdate<String>

/// A time of day to store.
public struct TimeOfDayAttributeUpdate: AttributeUpdate, Equatable {
    public var name: String
    /// The day of the value. For a bedtime after midnight, it is the previous day.
    public var day: ExistDay
    /// The time of day to store.
    public var value: TimeOfDay
    /// Whether the attribute counts from midday, as ``ValueType/minFromMidday`` does, rather than from midnight.
    public var isFromMidday: Bool
    /// The minutes as they are sent.
    public var update: AttributeValue { .integer(isFromMidday ? value.minutesFromMidday : value.minutesFromMidnight) }

    /// Creates an update for a day.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - day: The day of the value.
    ///   - value: The time of day to store.
    ///   - isFromMidday: Whether the attribute counts from midday; by default only `sleep_start`, the bedtime, does.
    public init(name: String, day: ExistDay, value: TimeOfDay, isFromMidday: Bool? = nil) {
        self.name = name
        self.day = day
        self.value = value
        self.isFromMidday = isFromMidday ?? (name == "sleep_start")
    }
}

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
            throw UnitMismatch(attribute: name, unit: Self.title(of: value.unit), stored: unit.map(Self.title))
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
    private static func title(of unit: Dimension) -> String {
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
        stored.map { "“\(attribute)” is stored in \($0), and \(unit) cannot be converted to that: use another unit." }
            ?? "No unit is known for “\(attribute)”: store a number, with IntAttributeUpdate or FloatAttributeUpdate."
    }
}

/// An amount to add to a day's total, for counts, decimals, and durations.
public struct AttributeIncrement: Sendable, Equatable {
    /// The name of the attribute to add to.
    public var name: String
    /// The amount to add.
    public var value: AttributeValue
    /// The day; nil for the current day in the user's time zone.
    public var day: ExistDay?
    var item: SentItem { SentItem(name: name, day: day, value: value) }

    /// Creates an increment by a whole number.
    public init(name: String, by value: Int, day: ExistDay? = nil) {
        self.name = name
        self.value = .integer(value)
        self.day = day
    }

    /// Creates an increment by a decimal number, which must be finite.
    public init(name: String, by value: Double, day: ExistDay? = nil) {
        self.name = name
        self.value = .decimal(value)
        self.day = day
    }
}

/// An attribute to acquire, identified by its name or its template.
public struct AttributeClaim: Sendable, Equatable {
    let item: SentItem

    /// Returns a claim to the user's attribute with this name, which may be a custom one. If `manual` is nil, whether
    /// the user tracks it manually remains unchanged.
    public static func name(_ name: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(name: name, manual: manual))
    }

    /// Returns a claim to the attribute with this template, which is created if the user has none. Pass false as
    /// `manual` if your program updates it instead of the user.
    public static func template(_ template: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(template: template, manual: manual))
    }
}

/// An attribute to be created.
public struct NewAttribute: Sendable, Equatable {
    let item: SentItem

    /// Returns an attribute to be created from a template. By default, the service assumes that it is tracked manually.
    public static func template(_ template: String, manual: Bool? = nil) -> NewAttribute {
        NewAttribute(item: SentItem(template: template, manual: manual))
    }

    /// Returns a custom attribute. The service derives its name from the label; read it from the response and store it.
    ///
    /// - Parameters:
    ///   - label: The display name of the attribute.
    ///   - group: The name of an existing group.
    ///   - valueType: The type of the values. ``ValueType/minFromMidday`` is reserved for templates.
    ///   - manual: Whether the user tracks the attribute manually. Nil leaves it to the service, which
    ///     assumes that the user does.
    public static func custom(
        label: String, group: String, valueType: ValueType, manual: Bool? = nil
    ) -> NewAttribute {
        NewAttribute(item: SentItem(label: label, group: group, valueType: valueType, manual: manual))
    }

    /// Returns a custom tag, which can be set and cleared for each day: by the user, unless `manual` is false.
    public static func tag(_ label: String, manual: Bool? = nil) -> NewAttribute {
        .custom(label: label, group: "custom", valueType: .boolean, manual: manual)
    }
}

extension Attribute: WrittenItem {
    var echo: SentItem { SentItem(name: name, template: template, label: label) }
}

/// The result of creating attributes.
public typealias AttributeCreateResponse = WriteResult<Attribute>
