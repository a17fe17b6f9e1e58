import Foundation
import PledgeTestSupport
import Testing

@testable import ExistKit

@Suite("Units, times of day, and booleans", .serialized)
struct UnitTests {
    private static let imperial = User(
        username: "a", imperialDistance: true, imperialWeight: true, imperialEnergy: true, imperialLiquid: true,
        imperialTemperature: true)

    private func attribute(_ name: String, _ type: ValueType, _ value: AttributeValue?) throws -> Attribute {
        let values = [Attribute.DayValue(day: try day("2024-03-02"), value: value)]
        return Attribute(name: name, group: AttributeGroup(name: "x"), valueType: type, values: values)
    }

    @Test(
        "A value is read in Exist's unit or in the profile's unit, and sent in Exist's unit",
        arguments: [
            ("steps_distance", ValueType.float, 8.04672, UnitLength.kilometers, UnitLength.miles, 5.0),
            ("weight", .float, 65.8, UnitMass.kilograms, UnitMass.pounds, 145.064),
            ("active_energy", .float, 4184, UnitEnergy.kilojoules, UnitEnergy.kilocalories, 1000),
            ("water", .int, 2000, UnitVolume.milliliters, UnitVolume.fluidOunces, 67.628),
            ("weather_temp_max", .float, -40, UnitTemperature.celsius, UnitTemperature.fahrenheit, -40),
            ("weather_temp_min", .float, 21, UnitTemperature.celsius, UnitTemperature.fahrenheit, 69.8),
            ("weather_wind_speed", .float, 16.09344, UnitSpeed.kilometersPerHour, UnitSpeed.milesPerHour, 10),
            ("protein", .float, 80, UnitMass.grams, UnitMass.grams, 80),
            ("sodium", .float, 900, UnitMass.milligrams, UnitMass.milligrams, 900),
            ("sleep", .periodMin, 437, UnitDuration.minutes, UnitDuration.minutes, 437),
            ("garden_time", .periodMin, 30, UnitDuration.minutes, UnitDuration.minutes, 30),
        ] as [(String, ValueType, Double, Dimension, Dimension, Double)])
    func reading(
        name: String, type: ValueType, number: Double, unit: Dimension, shown: Dimension, imperial: Double
    ) throws {
        let attribute = try attribute(name, type, type == .float ? .decimal(number) : .integer(Int(number)))
        let metric = try #require(attribute.getMeasurements().first?.value)
        let wanted = try #require(attribute.getMeasurements(for: Self.imperial).first?.value)
        let plain = try #require(attribute.getMeasurements(for: User(username: "b")).first?.value)
        #expect(metric.unit == unit && metric.value == number)
        // The tolerance is this large because Foundation's factors for miles and pounds have six digits.
        #expect(wanted.unit == shown && abs(wanted.value - imperial) < 2e-4 * abs(imperial), "\(wanted)")
        #expect(plain == metric)
        #expect(attribute.unit == unit && attribute.unit(for: Self.imperial) == shown)
        let sent = try MeasurementAttributeUpdate(attribute, day: try day("2024-03-02"), value: wanted).update
        let isWhole = if case .integer = sent { true } else { false }
        #expect(abs((sent.double ?? 0) - number) < 1e-9 * abs(number) && isWhole == (type != .float), "\(sent)")
    }

    @Test("Precipitation is stored in inches per hour, and shown to a metric profile in millimeters")
    func rain() throws {
        let rain = try attribute("weather_precipitation", .float, .decimal(0.5))
        let stored = try #require(rain.getMeasurements().first?.value)
        #expect(stored.unit.symbol == "in/h" && stored.value == 0.5)
        #expect(abs(stored.converted(to: UnitSpeed.metersPerSecond).value * 3600 - 0.0127) < 1e-12)
        let shown = try #require(rain.getMeasurements(for: User(username: "a")).first?.value)
        #expect(shown.unit.symbol == "mm/h" && abs(shown.value - 12.7) < 1e-12)
        let imperial = try #require(rain.getMeasurements(for: Self.imperial).first?.value)
        #expect(imperial == stored)
    }

    @Test("A converted number has at least six decimal places, and enough of them to convert back to the stored number")
    func conversion() throws {
        let units: [(stored: ValueUnit, shown: ValueUnit)] = [
            (.kilograms, .pounds), (.kilometers, .miles), (.kilojoules, .kilocalories), (.milliliters, .fluidOunces),
            (.celsius, .fahrenheit), (.kilometersPerHour, .milesPerHour), (.inchesPerHour, .millimetersPerHour),
        ]
        var misses = 0
        var cases = 0
        #expect(ValueUnit.pounds.digits(of: 70.8, in: .kilograms) == "156.087282")
        for (stored, shown) in units {
            for fixed in ["0", "70.8", "-40", "0.1", "1234567", "70.800000023128", "9007199254740993"] {
                let number = try #require(Decimal(string: fixed))
                let digits = try #require(shown.digits(of: number, in: stored))
                #expect(shown.number(try #require(Decimal(string: digits)), in: stored) == number, "\(fixed) \(digits)")
            }
            Fuzzing.run(cases: 200, "units") { seed, random in
                cases += 1
                let double = Double.random(in: -400...4000, using: &random)
                // The text has either all digits of the number, or only two decimal places.
                let text = Bool.random(using: &random) ? "\(double)" : "\((double * 100).rounded() / 100)"
                guard let number = Decimal(string: text), let digits = shown.digits(of: number, in: stored),
                    let read = Decimal(string: digits)
                else {
                    // There are no digits in the shown unit that convert back to exactly this number. That may be the
                    // case only for a few numbers with as many digits as a `Double` can have.
                    misses += 1
                    #expect(text.filter(\.isNumber).count >= 16, "seed \(seed): \(text) \(stored.name)")
                    return
                }
                #expect(shown.number(read, in: stored) == number, "seed \(seed): \(text) is \(digits) \(shown.name)")
                let converted = stored.convert(Double(text) ?? 0, to: shown)
                #expect(abs(converted - (Double(digits) ?? 0)) < 1e-6, "seed \(seed)")
            }
        }
        #expect(misses <= 1 + cases / 1000, "\(misses) of \(cases)")
        print("units: \(misses) of \(cases) have no digits in another unit")
        for (digits, shown, stored) in [
            ("1e-30", .pounds, .kilograms),
            // This is exactly 717.434605813075 kcal, but a stored number with one digit fewer converts to the same
            // digits.
            ("3001.7463907219058", .kilocalories, .kilojoules),
        ] as [(String, ValueUnit, ValueUnit)] {
            #expect(shown.digits(of: try #require(Decimal(string: digits)), in: stored) == nil)
        }
    }

    @Test("Each imperial flag of a profile affects only its own kind of quantity")
    func flags() throws {
        let weight = try attribute("weight", .float, nil)
        let distance = try attribute("cycle_distance", .float, nil)
        let pounds = User(username: "a", imperialWeight: true)
        #expect(weight.unit(for: pounds) == UnitMass.pounds && distance.unit(for: pounds) == UnitLength.kilometers)
        #expect(try weight.getMeasurements(for: pounds).map(\.value) == [nil])
    }

    @Test("The error for an attribute without a unit names the method to use instead")
    func noUnit() throws {
        let steps = try attribute("steps", .int, .integer(5))
        let money = try attribute("money_spent", .float, .decimal(5))
        #expect(steps.unit == nil && money.unit == nil)
        let error = thrown(ValueTypeMismatch.self) { try steps.getMeasurements() }
        #expect(
            error?.description == "“steps” does not hold measurements: it is of type int. Use getIntValues() instead.")
    }

    @Test("A measurement in any unit is sent in Exist's unit, as an integer where Exist takes only integers")
    func writing() throws {
        let today = try day(SandboxCase.today)
        let water = Measurement(value: 1.5006, unit: UnitVolume.liters)
        let sleep = Measurement(value: 7.51, unit: UnitDuration.hours)
        #expect(try MeasurementAttributeUpdate(name: "water", day: today, value: water).update == .integer(1501))
        #expect(try MeasurementAttributeUpdate(name: "sleep", day: today, value: sleep).update == .integer(451))
    }

    @Test(
        "A measurement of the wrong kind is rejected before it is sent, with an explanation",
        arguments: [
            (
                "sleep", UnitLength.meters,
                "“sleep” is stored in minutes, and m cannot be converted to that: use another unit."
            ),
            (
                "weight", UnitLength.miles,
                "“weight” is stored in kg, and mi cannot be converted to that: use another unit."
            ),
            (
                "mood", UnitMass.grams,
                "No unit is known for “mood”: store a number, with IntAttributeUpdate or FloatAttributeUpdate."
            ),
        ] as [(String, Dimension, String)])
    func mismatch(name: String, unit: Dimension, words: String) throws {
        let error = thrown(UnitMismatch.self) {
            let value = Measurement(value: 1, unit: unit)
            return try MeasurementAttributeUpdate(name: name, day: try day(SandboxCase.today), value: value)
        }
        #expect(error?.description == words)
    }

    @Test(
        "A time of day counts minutes from midnight or from midday, according to the attribute's type",
        arguments: [
            (431, ValueType.minFromMidnight, "07:11"), (0, .minFromMidnight, "00:00"),
            (1439, .minFromMidnight, "23:59"), (549, .minFromMidnight, "09:09"), (610, .minFromMidnight, "10:10"),
            (655, .minFromMidday, "22:55"), (742, .minFromMidday, "00:22"), (0, .minFromMidday, "12:00"),
            (1439, .minFromMidday, "11:59"),
        ])
    func times(minutes: Int, type: ValueType, text: String) throws {
        let attribute = try attribute("x", type, .integer(minutes))
        let time = try #require(attribute.getTimeOfDayValues().first?.value)
        #expect(time.description == text)
        #expect((type == .minFromMidday ? time.minutesFromMidday : time.minutesFromMidnight) == minutes)
        #expect(TimeOfDay(hour: time.hour, minute: time.minute) == time)
    }

    @Test("Hours and minutes that are out of range don't make a time of day")
    func noTimes() throws {
        #expect(TimeOfDay(hour: 24, minute: 0) == nil && TimeOfDay(hour: 7, minute: 60) == nil)
        #expect(TimeOfDay(minutesFromMidnight: 1440) == nil && TimeOfDay(minutesFromMidday: -1) == nil)
        let (noon, one) = (try #require(TimeOfDay(hour: 12, minute: 0)), try #require(TimeOfDay(hour: 12, minute: 1)))
        #expect(TimeOfDay(minutesFromMidday: 1440) == nil && noon < one && !(noon < noon))
        let late = try attribute("x", .minFromMidnight, .integer(1440))
        #expect(throws: ValueTypeMismatch.self) { try late.getTimeOfDayValues() }
        #expect(try attribute("x", .minFromMidday, nil).getTimeOfDayValues().map(\.value) == [nil])
    }

    @Test(
        "A getter throws for an attribute of another value type, even if it has no values; the error names the right getter"
    )
    func getters() throws {
        let getters: KeyValuePairs<String, (Attribute) throws -> Void> = [
            "int": { _ = try $0.getIntValues() }, "float": { _ = try $0.getFloatValues() },
            "string": { _ = try $0.getStringValues() }, "bool": { _ = try $0.getBoolValues() },
            "time": { _ = try $0.getTimeOfDayValues() },
        ]
        let fitting: KeyValuePairs<ValueType, [String]> = [
            .int: ["int", "float"], .float: ["float"], .string: ["string"], .periodMin: ["int", "float"],
            .minFromMidnight: ["int", "float", "time"], .percentage: ["float"],
            .minFromMidday: ["int", "float", "time"], .boolean: ["int", "float", "bool"], .scale: ["int", "float"],
            .unknown(9): [],
        ]
        #expect(fitting.map(\.key) == (0...9).map { ValueType(rawValue: $0) })
        for (type, names) in fitting {
            let attribute = try attribute("x", type, nil)
            #expect(getters.filter { (try? $1(attribute)) != nil }.map(\.key) == names, "\(type)")
            // The error names the getter that fits the type. If the caller has already used that getter, the error
            // names `values`.
            let own = ["int": "whole numbers", "float": "numbers", "string": "text"][names.first ?? ""]
            let getter = own == nil ? "values" : "get\(names[0].capitalized)Values()"
            for wanted in ["text", "numbers", "whole numbers", "yes-or-no values"] {
                let error = ValueTypeMismatch(attribute: "x", valueType: type, wanted: wanted)
                #expect(error.description.hasSuffix("Use \(wanted == own ? "values" : getter) instead."), "\(type)")
            }
        }
    }

    @Test("The values of a tag are true, false, or nil")
    func tags() throws {
        #expect(try attribute("x", .boolean, .integer(1)).getBoolValues().map(\.value) == [true])
        #expect(try attribute("x", .boolean, .integer(0)).getBoolValues().map(\.value) == [false])
        #expect(try attribute("x", .boolean, nil).getBoolValues().map(\.value) == [nil])
        let odd = try attribute("x", .boolean, .integer(2))
        #expect(throws: ValueTypeMismatch.self) { try odd.getBoolValues() }
    }
}
