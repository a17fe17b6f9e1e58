import Foundation
import PledgeCoding

/// A unit in which values are stored, printed, and read: what a number counts, and for a time of day, from when.
///
/// This is the only list of units and of their names, for the tool, the history, and the measurements of ``Attribute``.
package struct ValueUnit: Sendable {
    /// The name in every output.
    package let name: String
    private let quantity: Quantity
    /// Foundation's unit; nil for times of day.
    let dimension: Dimension?
    /// How much one of this unit is, and which amount is zero of it, in the quantity's base, in which both have few
    /// digits: ninths of a degree Celsius, otherwise the unit of size 1.
    private let size: Decimal
    private let zero: Decimal
    /// The same for ``convert(_:to:)``, which is fast.
    private let doubles: (size: Double, zero: Double)

    private enum Quantity {
        case length, mass, energy, volume, temperature, speed, rain, duration, timeOfDay
    }

    private init(
        _ name: String, _ quantity: Quantity, _ dimension: Dimension?, size: String = "1", zero: Int = 0
    ) {
        self.name = name
        self.quantity = quantity
        self.dimension = dimension
        self.size = Decimal(string: size) ?? .nan
        self.zero = Decimal(zero)
        doubles = (Double(size) ?? .nan, Double(zero))
    }

    static let kilometers = ValueUnit("km", .length, UnitLength.kilometers)
    static let miles = ValueUnit("mi", .length, UnitLength.miles, size: "1.609344")
    static let kilograms = ValueUnit("kg", .mass, UnitMass.kilograms)
    static let grams = ValueUnit("g", .mass, UnitMass.grams, size: "0.001")
    static let milligrams = ValueUnit("mg", .mass, UnitMass.milligrams, size: "0.000001")
    static let pounds = ValueUnit("lb", .mass, UnitMass.pounds, size: "0.45359237")
    static let kilojoules = ValueUnit("kJ", .energy, UnitEnergy.kilojoules)
    static let kilocalories = ValueUnit("kcal", .energy, UnitEnergy.kilocalories, size: "4.184")
    static let milliliters = ValueUnit("ml", .volume, UnitVolume.milliliters)
    static let fluidOunces = ValueUnit("fl oz", .volume, UnitVolume.fluidOunces, size: "29.5735295625")
    static let celsius = ValueUnit("°C", .temperature, UnitTemperature.celsius, size: "9")
    static let fahrenheit = ValueUnit("°F", .temperature, UnitTemperature.fahrenheit, size: "5", zero: -160)
    static let kilometersPerHour = ValueUnit("km/h", .speed, UnitSpeed.kilometersPerHour)
    static let milesPerHour = ValueUnit("mph", .speed, UnitSpeed.milesPerHour, size: "1.609344")
    static let millimetersPerHour = ValueUnit("mm/h", .rain, rain("mm/h", meters: 0.001))
    static let inchesPerHour = ValueUnit("in/h", .rain, rain("in/h", meters: 0.0254), size: "25.4")
    static let minutes = ValueUnit("min", .duration, UnitDuration.minutes)
    static let hours = ValueUnit("h", .duration, UnitDuration.hours, size: "60")
    static let minutesAfterMidnight = ValueUnit("min after midnight", .timeOfDay, nil)
    static let minutesAfterMidday = ValueUnit("min after midday", .timeOfDay, nil, zero: 720)

    private static let all = [
        kilometers, miles, kilograms, grams, milligrams, pounds, kilojoules, kilocalories, milliliters, fluidOunces,
        celsius, fahrenheit, kilometersPerHour, milesPerHour, millimetersPerHour, inchesPerHour, minutes, hours,
        minutesAfterMidnight, minutesAfterMidday,
    ]

    /// Rainfall is a speed, but of another kind than that of wind.
    private static func rain(_ symbol: String, meters: Double) -> UnitSpeed {
        UnitSpeed(symbol: symbol, converter: UnitConverterLinear(coefficient: meters / 3600))
    }

    /// Returns the unit with a name, or with Foundation's symbol for it, such as `mL`; nil if there is none.
    package static func named(_ name: String) -> ValueUnit? {
        let wanted = ExactText(name)
        return all.first { ExactText($0.name) == wanted }
            ?? all.first { $0.dimension.map { ExactText($0.symbol) == wanted } ?? false }
    }

    /// Whether numbers in this unit can be converted to the other one.
    package func isComparable(to other: ValueUnit) -> Bool { quantity == other.quantity }
    /// Whether numbers count from midday.
    package var isAfterMidday: Bool { self == .minutesAfterMidday }
    /// Whether numbers are times of day, which repeat after 1,440 minutes.
    package var isTimeOfDay: Bool { quantity == .timeOfDay }
}

extension ValueUnit: Equatable {
    package static func == (left: ValueUnit, right: ValueUnit) -> Bool { ExactText(left.name) == ExactText(right.name) }
}

// MARK: - Conversion

extension ValueUnit {
    /// Returns a number of this unit in another unit, for people; see ``digits(of:in:)`` for what is read back.
    package func convert(_ number: Double, to other: ValueUnit) -> Double {
        guard self != other else { return number }
        return (number * doubles.size + doubles.zero - other.doubles.zero) / other.doubles.size
    }

    private func convert(_ number: Decimal, to other: ValueUnit) -> Decimal {
        (number * size + zero - other.zero) / other.size
    }

    /// The decimal places of a converted number, unless the number stored has so many digits that it takes more.
    private static let places = 6

    /// Returns the digits of a stored number in this unit, from which ``number(_:in:)`` returns that same number.
    ///
    /// - Parameter number: The number as stored, in its shortest form.
    /// - Returns: Six decimal places, or more for a number of more than about seven digits; nil if there are no such
    ///   digits: for a number that is too large or too small, and for one in thousands of those with 16 or 17 digits.
    package func digits(of number: Decimal, in stored: ValueUnit) -> String? {
        guard self != stored else { return "\(number)" }
        let exact = stored.convert(number, to: self)
        // Fewer places than the number has, less those of the factor, cannot suffice.
        for places in stride(from: max(Self.places, -number.exponent - 2), to: 24, by: 1) where exact.isFinite {
            let shown = exact.rounded(to: places)
            if self.number(shown, in: stored) == number { return "\(shown)" }
        }
        return nil
    }

    /// Returns a number of this unit in the unit stored: of those that have these digits in this unit, the one with the
    /// fewest decimal places, so that 156.087282 lb are 70.8 kg, and not 70.80000023.
    package func number(_ shown: Decimal, in stored: ValueUnit) -> Decimal {
        guard self != stored else { return shown }
        let exact = convert(shown, to: stored)
        let places = max(Self.places, -shown.exponent)
        for count in 0..<places + 3 {
            let short = exact.rounded(to: count)
            if stored.convert(short, to: self).rounded(to: places) == shown { return short }
        }
        return exact
    }
}

extension Decimal {
    package func rounded(to places: Int) -> Decimal {
        var number = self
        var rounded = Decimal()
        NSDecimalRound(&rounded, &number, places, .plain)
        return rounded
    }
}

// MARK: - The units of an attribute

extension Attribute {
    /// The unit in which Exist stores the values; nil for counts, ratings, money, tags, and texts.
    package var storedUnit: ValueUnit? { AttributeQuantity(self)?.stored }

    /// Returns the unit in which outputs print the values for a user. Bedtimes are printed in minutes after the midnight
    /// with which their day begins, so that they may exceed 1,440.
    package func shownUnit(for user: User) -> ValueUnit? { AttributeQuantity(self)?.shown(to: user) }
}

/// The quantity an attribute measures: the stored unit, and the one shown to users who prefer another.
struct AttributeQuantity {
    let stored: ValueUnit
    /// The unit shown to users who don't prefer the imperial one, if it isn't the stored one.
    private var metric: ValueUnit?
    private var imperial: (unit: ValueUnit, isPreferred: KeyPath<User, Bool>)?
    /// Whether Exist accepts only whole numbers.
    private(set) var isWhole = false

    init?(_ attribute: Attribute) {
        switch attribute.valueType {
        case .minFromMidnight: self.init(.minutesAfterMidnight)
        case .minFromMidday: self.init(.minutesAfterMidday, metric: .minutesAfterMidnight)
        case .string, .boolean, .scale, .percentage, .unknown: return nil
        case .int, .float, .periodMin:
            self.init(template: attribute.template ?? attribute.name, type: attribute.valueType)
        }
    }

    private init(_ stored: ValueUnit, metric: ValueUnit? = nil) { (self.stored, self.metric) = (stored, metric) }

    /// Creates a template's quantity, as only templates mean the same for every user. Durations are always minutes.
    init?(template: String, type: ValueType? = nil) {
        // Comparing an excessively long text from a service would be slow; none of these is as long as 64 bytes.
        switch template.utf8.count > 64 ? "" : template {
        case _ where type == .periodMin: (stored, isWhole) = (.minutes, true)
        case "steps_distance", "cycle_distance", "workouts_distance", "steps_elevation":
            stored = .kilometers
            imperial = (.miles, \.imperialDistance)
        case "weight", "lean_mass": (stored, imperial) = (.kilograms, (.pounds, \.imperialWeight))
        case "energy", "active_energy": (stored, imperial) = (.kilojoules, (.kilocalories, \.imperialEnergy))
        case "water":
            stored = .milliliters
            imperial = (.fluidOunces, \.imperialLiquid)
            isWhole = true
        case "weather_temp_max", "weather_temp_min":
            stored = .celsius
            imperial = (.fahrenheit, \.imperialTemperature)
        case "weather_wind_speed": (stored, imperial) = (.kilometersPerHour, (.milesPerHour, \.imperialDistance))
        // Inches of water per hour: the only unit stored by Exist that is not metric.
        case "weather_precipitation":
            stored = .inchesPerHour
            metric = .millimetersPerHour
            imperial = (.inchesPerHour, \.imperialDistance)
        case "carbohydrates", "fat", "fibre", "protein", "sugar": stored = .grams
        case "sodium", "cholesterol", "caffeine": stored = .milligrams
        case "steps_active_min", "cycle_min", "workouts_min", "productive_min", "neutral_min", "distracting_min",
            "pomodoros_min", "sleep", "time_in_bed", "sleep_light", "sleep_deep", "sleep_rem", "events_duration",
            "meditation_min", "mobile_screen_min", "gaming_min", "tv_min", "movies_min", "day_length":
            stored = .minutes
            isWhole = true
        default: return nil
        }
    }

    func shown(to user: User) -> ValueUnit {
        imperial.flatMap { user[keyPath: $0.isPreferred] ? $0.unit : nil } ?? metric ?? stored
    }
}

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
