import Foundation

/// The total of a day, to be stored. An array may contain updates of several types:
/// `[FloatAttributeUpdate(…), IntAttributeUpdate(…)]`.
public protocol AttributeUpdate: Sendable {
    /// The name of the attribute to write.
    var name: String { get }
    /// The day of the value.
    var day: ExistDay { get }
    /// The total of the day. It replaces the total that is stored.
    var update: AttributeValue { get }
}

extension AttributeUpdate {
    var item: SentItem { SentItem(name: name, day: day, value: update) }
}

/// A type whose values can be stored directly: integers, decimal numbers, and text.
public protocol StorableValue: Sendable, Equatable {
    /// The value in the form in which it is sent.
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

/// A value to store for one day of an attribute.
public struct ValueUpdate<Value: StorableValue>: AttributeUpdate, Equatable {
    public var name: String
    public var day: ExistDay
    /// The value to store. Numbers must be finite and in metric units.
    public var value: Value
    /// The value in the form in which it is sent.
    public var update: AttributeValue { value.attributeValue }

    /// Creates an update for a day.
    public init(name: String, day: ExistDay, value: Value) {
        self.name = name
        self.day = day
        self.value = value
    }

    /// Creates an update for the day that contains a date. By default, the day is determined in the device's time zone.
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
    /// The day of the value. A bedtime after midnight belongs to the previous day.
    public var day: ExistDay
    /// The time of day to store.
    public var value: TimeOfDay
    /// Whether the attribute counts minutes from midday, as an attribute of type ``ValueType/minFromMidday`` does. If
    /// it is false, the attribute counts minutes from midnight.
    public var isFromMidday: Bool
    /// The number of minutes in the form in which it is sent.
    public var update: AttributeValue { .integer(isFromMidday ? value.minutesFromMidday : value.minutesFromMidnight) }

    /// Creates an update for a day of an attribute.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - day: The day of the value.
    ///   - value: The time of day to store.
    ///   - isFromMidday: Whether the attribute counts minutes from midday. If the argument is nil, the bedtime
    ///     `sleep_start` counts from midday, and all other attributes count from midnight.
    public init(name: String, day: ExistDay, value: TimeOfDay, isFromMidday: Bool? = nil) {
        self.name = name
        self.day = day
        self.value = value
        self.isFromMidday = isFromMidday ?? TimeOfDay.attributesFromMidday.contains(name)
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
    /// The number that is sent. It is in the unit that Exist stores. The number is rounded if Exist accepts only whole
    /// numbers for the attribute.
    public let update: AttributeValue

    /// Creates an update for an attribute that has the same name as its template, such as `weight`. Throws
    /// ``UnitMismatch`` if the attribute has no known unit, or if the measurement can't be converted to that unit.
    public init(name: String, day: ExistDay, value: Measurement<some Dimension>) throws(UnitMismatch) {
        try self.init(name, AttributeQuantity(template: name), day, value)
    }

    /// Creates an update for the given attribute. Throws ``UnitMismatch`` if the attribute has no known unit, or if the
    /// measurement can't be converted to that unit.
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
        // A number that is not finite is kept here. The call that would send the number rejects instead.
        let whole = quantity.isWhole ? Int(exactly: number.rounded()) : nil
        update = whole.map { .integer($0) } ?? .decimal(number)
    }
}

extension MeasurementAttributeUpdate {
    /// Returns the symbol of the unit. For a unit of duration, returns the unit's name instead, because most people
    /// would read `m` as meters.
    private static func title(of unit: Dimension) -> String {
        switch unit {
        case UnitDuration.hours: "hours"
        case UnitDuration.minutes: "minutes"
        case UnitDuration.seconds: "seconds"
        default: unit.symbol
        }
    }
}

/// An error that is thrown if a measurement's unit does not fit its attribute.
public struct UnitMismatch: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the attribute that was to be written.
    public let attribute: String
    /// The symbol of the measurement's unit. For durations, it is the unit's name.
    public let unit: String
    /// The symbol or name of the unit that Exist stores; nil if the attribute has no known unit.
    public let stored: String?

    /// A sentence that states what to do instead.
    public var description: String {
        stored.map { "“\(attribute)” is stored in \($0), and \(unit) cannot be converted to that: use another unit." }
            ?? "No unit is known for “\(attribute)”: store a number, with IntAttributeUpdate or FloatAttributeUpdate."
    }
}

/// An amount to add to the total of a day. Only counts, decimals, and durations can be incremented.
public struct AttributeIncrement: Sendable, Equatable {
    /// The name of the attribute to add to.
    public var name: String
    /// The amount to add.
    public var value: AttributeValue
    /// The day of the total; nil for the current day in the user's time zone.
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

    /// Creates an increment by a value that is stored as it is.
    package init(name: String, by value: AttributeValue, day: ExistDay?) {
        self.name = name
        self.value = value
        self.day = day
    }
}

/// An attribute to acquire, identified by its name or its template.
public struct AttributeClaim: Sendable, Equatable {
    let item: SentItem

    /// Returns a claim to the user's attribute with this name. It may be a custom attribute.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - manual: Whether the user tracks the attribute manually. If it is nil, the current setting remains unchanged.
    public static func name(_ name: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(name: name, manual: manual))
    }

    /// Returns a claim to the user's attribute with this template. If the user has no such attribute, it is created.
    ///
    /// - Parameters:
    ///   - template: The name of the template.
    ///   - manual: Whether the user tracks the attribute manually. Pass false if your app updates the attribute
    ///     instead.
    public static func template(_ template: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(template: template, manual: manual))
    }
}

/// An attribute that is to be created.
public struct NewAttribute: Sendable, Equatable {
    let item: SentItem

    /// Returns an attribute that is to be created from a template. If `manual` is nil, the service assumes that the
    /// user tracks the attribute manually.
    public static func template(_ template: String, manual: Bool? = nil) -> NewAttribute {
        NewAttribute(item: SentItem(template: template, manual: manual))
    }

    /// Returns a custom attribute that is to be created.
    ///
    /// The service derives the name of the attribute from its label. Read the name from the response, and store it.
    ///
    /// - Parameters:
    ///   - label: The display name of the attribute.
    ///   - group: The name of an existing group.
    ///   - valueType: The type of the values. ``ValueType/minFromMidday`` is reserved for templates.
    ///   - manual: Whether the user tracks the attribute manually. If it is nil, the service assumes that the user
    ///     does.
    public static func custom(
        label: String, group: String, valueType: ValueType, manual: Bool? = nil
    ) -> NewAttribute {
        NewAttribute(item: SentItem(label: label, group: group, valueType: valueType, manual: manual))
    }

    /// Returns a custom tag that is to be created. A tag can be set and cleared for each day. Pass false as `manual` if
    /// your app, and not the user, sets and clears the tag.
    public static func tag(_ label: String, manual: Bool? = nil) -> NewAttribute {
        .custom(label: label, group: "custom", valueType: .boolean, manual: manual)
    }
}

extension Attribute: ResponseItem {
    var echo: SentItem { SentItem(name: name, template: template, label: label) }
}

/// The result of creating attributes.
public typealias AttributeCreateResponse = WriteResult<Attribute>
