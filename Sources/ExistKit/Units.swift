import Foundation
import PledgeCoding

/// A unit in which values are stored, printed, and read. For a time of day, the unit also says whether its minutes are
/// counted from midnight or from midday.
///
/// The command-line tool, the history, and the measurements of ``Attribute`` all use the units and names in this list.
/// It is the only list of units.
package struct ValueUnit: Sendable {
    /// The name of the unit in every output.
    package let name: String
    private let quantity: Quantity
    /// The corresponding unit in Foundation; nil for times of day.
    let dimension: Dimension?
    /// `size` is the amount, in the quantity's base unit, that this unit counts as one. `zero` is the amount, in the
    /// base unit, for which this unit shows the number 0.
    ///
    /// The base unit is chosen so that these numbers have few digits. For temperatures, the base unit is a ninth of a
    /// degree Celsius. For any other quantity, it is the unit whose size is 1.
    private let size: Decimal
    private let zero: Decimal
    /// `size` and `zero` as floating-point numbers. Converting a `Double` with them is faster than with decimals.
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

    /// Returns a unit for rainfall, which is the height of water per hour. Foundation has no such quantity, so the unit
    /// is one of speed.
    private static func rain(_ symbol: String, meters: Double) -> UnitSpeed {
        UnitSpeed(symbol: symbol, converter: UnitConverterLinear(coefficient: meters / 3600))
    }

    /// Returns the unit with this name, or the unit that has this symbol in Foundation, such as `mL`. Nil if there is
    /// no such unit.
    package static func named(_ name: String) -> ValueUnit? {
        let wanted = ExactText(name)
        return all.first { ExactText($0.name) == wanted }
            ?? all.first { $0.dimension.map { ExactText($0.symbol) == wanted } ?? false }
    }

    /// Returns whether numbers in this unit can be converted to the other unit.
    package func isComparable(to other: ValueUnit) -> Bool { quantity == other.quantity }
    /// Whether numbers in this unit count minutes from midday.
    package var isAfterMidday: Bool { self == .minutesAfterMidday }
    /// Whether numbers in this unit are times of day. They repeat after 1,440 minutes.
    package var isTimeOfDay: Bool { quantity == .timeOfDay }
}

extension ValueUnit: Equatable {
    package static func == (left: ValueUnit, right: ValueUnit) -> Bool { ExactText(left.name) == ExactText(right.name) }
}

// MARK: - Conversion

extension ValueUnit {
    /// Converts a number in this unit to another unit, for people to read. For an output that is read back, use
    /// ``digits(of:in:)``.
    package func convert(_ number: Double, to other: ValueUnit) -> Double {
        guard self != other else { return number }
        return (number * doubles.size + doubles.zero - other.doubles.zero) / other.doubles.size
    }

    private func convert(_ number: Decimal, to other: ValueUnit) -> Decimal {
        (number * size + zero - other.zero) / other.size
    }

    /// The usual number of decimal places of a converted number. If the stored number has many digits, more are needed.
    private static let places = 6

    /// Converts a stored number to this unit, and returns the digits. From these digits, ``number(_:in:)`` returns
    /// exactly the stored number again.
    ///
    /// - Parameter number: The number as it is stored, in its shortest form.
    /// - Returns: The converted number, rounded to six decimal places. If the stored number has more than about seven
    ///   digits, the result may have more decimal places. The result is nil if no digits lead back to exactly the
    ///   stored number. This happens if the number is too large or too small. It also happens for roughly one in
    ///   several thousand numbers with 16 or 17 digits.
    package func digits(of number: Decimal, in stored: ValueUnit) -> String? {
        guard self != stored else { return "\(number)" }
        let exact = stored.convert(number, to: self)
        // A conversion changes a number by a factor of less than 100, so it removes at most two decimal places. The
        // search therefore begins at two places fewer than the stored number has, or at `Self.places` if that is more.
        for places in stride(from: max(Self.places, -number.exponent - 2), to: 24, by: 1) where exact.isFinite {
            let shown = exact.rounded(to: places)
            if self.number(shown, in: stored) == number { return "\(shown)" }
        }
        return nil
    }

    /// Converts a number in this unit to the unit in which it is stored.
    ///
    /// Several stored numbers may have the same digits in this unit. This function returns the stored number with the
    /// fewest decimal places: 156.087282 lb are 70.8 kg, and not 70.80000023 kg.
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

    /// Returns the unit in which outputs print the values for a user.
    ///
    /// Bedtimes are printed in minutes after the midnight with which their day begins. So a bedtime after the next
    /// midnight is a number above 1,440.
    package func shownUnit(for user: User) -> ValueUnit? { AttributeQuantity(self)?.shown(to: user) }
}

/// The quantity that an attribute measures, with the unit in which Exist stores it and the units that users prefer.
struct AttributeQuantity {
    let stored: ValueUnit
    /// The unit for users who don't prefer the imperial unit; nil if that is the stored unit.
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

    /// Creates the quantity of a template, or returns nil if the template is unknown.
    ///
    /// The quantity is known only for a template, because only a template means the same for every user. A duration is
    /// always stored in minutes, even without a template.
    init?(template: String, type: ValueType? = nil) {
        // A service may send a very long text, and comparing it with all these names would be slow. No name is longer
        // than 64 bytes, so a longer text is not compared.
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
        // Exist stores rainfall in inches of water per hour. This is the only stored unit that is not metric.
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
    /// The unit in which Exist stores the values. It is a metric unit, except for rainfall, which is in inches per
    /// hour.
    ///
    /// It is nil for counts, ratings, and times of day. It is also nil for money, which is in the user's own currency.
    public var unit: Dimension? { storedUnit?.dimension }

    /// Returns the unit in which to show the values to a user, according to the settings in the user's profile.
    ///
    /// Rainfall follows the setting for distances. Users who prefer kilometers see it in millimeters per hour, and all
    /// others in inches per hour.
    public func unit(for user: User) -> Dimension? { shownUnit(for: user)?.dimension }

    /// Returns the values as measurements, newest first. Use this for distances, weights, energy, temperatures,
    /// durations, and other values with a unit.
    ///
    /// ```swift
    /// for item in try weight.getMeasurements(for: user) { print(item.day, item.value ?? "–") }
    /// ```
    ///
    /// The measurements are in the unit that the user prefers. Without a user, they are in ``unit``.
    ///
    /// Throws ``ValueTypeMismatch`` if the attribute has no unit, or if a value is not a number.
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
