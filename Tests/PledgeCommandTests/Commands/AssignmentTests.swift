import ExistKit
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Parsing a value to store")
struct AssignmentTests {
    @Test(
        "A duration may be written as 450, 7h30m, 7:30, or 7:30:00, and may be negative",
        arguments: [
            ("450", 450), ("7h30m", 450), ("7 H 30 M", 450), ("7h", 420), ("45m", 45), ("75m", 75), ("7:30", 450),
            ("-45", -45), ("-45m", -45), ("-1h30m", -90), ("-1:30", -90), ("0h30m", 30), ("7h59m", 479),
            ("00:10:00", 10), ("7:30:00", 450), ("-0:10:00", -10), ("7:30:30", nil),
            ("7:3", nil), ("7h 3 0m", nil), ("+7:30", nil), ("7 7h", nil), ("0h75m", nil),
            ("1h75m", nil), ("1h30", nil), ("h", nil), ("-", nil), ("--45m", nil), ("7:60", nil), ("", nil),
        ])
    func minutes(text: String, minutes: Int?) {
        #expect(ValueParser.minutes(text) ?? Int(text) == minutes)
    }

    private func stored(_ assignment: Assignment, as type: ValueType) -> String? {
        let attribute = Attribute(name: "a", group: AttributeGroup(name: "b"), valueType: type)
        return (try? assignment.stored(attribute, User(username: "c")))?.description
    }

    @Test(
        "A value is stored in the form of its attribute's type; a value outside the type's limits is refused",
        arguments: [
            (.string, "7", "7"), (.boolean, "YES", "1"), (.boolean, "false", "0"), (.boolean, "1", "1"),
            (.boolean, "2", nil), (.boolean, "-1", nil), (.scale, "0", nil), (.scale, "1", "1"), (.scale, "9.0", "9"),
            (.scale, "10", nil), (.periodMin, "0", "0"), (.periodMin, "-1", nil), (.periodMin, "1h", "60"),
            (.minFromMidnight, "0:00", "0"), (.minFromMidnight, "23:59", "1439"), (.minFromMidnight, "24:00", "0"),
            (.minFromMidday, "24:00", "720"), (.minFromMidnight, "24:01", nil), (.minFromMidnight, "+7:05", nil),
            (.minFromMidnight, "7:", nil), (.minFromMidnight, ":7", nil), (.minFromMidnight, "7:05:00", "425"),
            (.minFromMidnight, "7:05:30", nil), (.minFromMidnight, "7:5", nil),
            (.minFromMidnight, "425", nil), (.minFromMidday, "23:10", "670"), (.minFromMidday, "0:30", "750"),
            (.percentage, "0", "0.0"), (.percentage, "1", "1.0"), (.percentage, "1.1", nil), (.percentage, "-1", nil),
            (.percentage, "250%", "2.5"), (.percentage, "21.4%", "0.214"), (.percentage, "inf%", nil),
            (.int, "2.0", "2"), (.int, "2.5", nil),
            (.float, "2.5", "2.5"), (.float, "2.0", "2"), (.float, "nan", nil),
            (.float, "8.432", "8.432"), (.float, "0x10", nil), (.int, "0x10", nil), (.int, "8.432", nil),
            (.int, "8.000", nil), (.int, "8.00", nil), (.int, "1e3", "1000"), (.periodMin, "8.000", nil),
            (.scale, "8.000", nil), (.int, "7\u{0}", nil), (.float, "7\u{0}", nil), (.float, " 7 ", "7"),
            (.int, "9007199254740993", "9007199254740993"),
        ] as [(ValueType, String, String?)])
    func forms(type: ValueType, text: String, value: String?) throws {
        #expect(stored(try Assignment("a=\(text)"), as: type) == value)
    }

    @Test(
        "A time of day that was printed in minutes can be read back; a bedtime can be read back only with its unit",
        arguments: [
            (.minFromMidnight, "0", "", "0"), (.minFromMidnight, "1439", "", "1439"),
            (.minFromMidnight, "1440", "", nil),
            (.minFromMidnight, "30", "min after midday", "750"), (.minFromMidday, "720", "min after midnight", "0"),
            (.minFromMidday, "1440", "min after midnight", "720"),
            (.minFromMidday, "2159", "min after midnight", "1439"),
            (.minFromMidday, "2160", "min after midnight", nil), (.minFromMidday, "-1", "min after midnight", nil),
            (.minFromMidday, "671", "min after midday", "671"), (.minFromMidday, "1440", "min after midday", nil),
            (.minFromMidday, "671", "", nil), (.minFromMidday, "671", "min", nil), (.minFromMidday, "23:11", "", "671"),
            (.minFromMidday, "23:11", "min after midnight", "671"), (.minFromMidday, "23:11", "kg", nil),
        ] as [(ValueType, String, String, String?)])
    func printed(type: ValueType, text: String, unit: String, value: String?) {
        #expect(stored(Assignment(name: "a", printed: text, unit: unit), as: type) == value)
    }

    private static let imperial = User(
        username: "a", imperialDistance: true, imperialWeight: true, imperialEnergy: true, imperialLiquid: true,
        imperialTemperature: true)

    @Test(
        "A value is converted from the unit in its line; an unknown unit or a unit of another quantity is refused",
        arguments: [
            ("weight", "70.8", "kg", "70.8"), ("weight", "156.087282", "lb", "70.8"), ("weight", "70800", "g", "70.8"),
            ("weight", "72.4", "banana", nil), ("weight", "72.4", "km", nil), ("weight", "72.4", "KG", nil),
            ("weight", "72,4", "kg", nil), ("weight", "72.4", "", nil), ("water", "67.628045", "fl oz", "2000"),
            ("water", "500", "mL", "500"), ("energy", "1000", "kcal", "4184"), ("energy", "1000", "kCal", "4184"),
            ("weather_temp_max", "68", "°F", "20"), ("weather_temp_max", "-40", "°F", "-40"),
            ("steps_distance", "5", "mi", "8.04672"), ("weather_wind_speed", "10", "mph", "16.09344"),
            ("weather_precipitation", "12.7", "mm/h", "0.5"), ("weather_precipitation", "12.7", "km/h", nil),
            ("steps", "7", "", "7"), ("steps", "7", "banana", nil), ("steps", "7", "km", nil),
        ])
    func units(name: String, text: String, unit: String, value: String?) {
        let type: ValueType = ["water", "steps"].contains(name) ? .int : .float
        let attribute = Attribute(name: name, group: AttributeGroup(name: "b"), valueType: type)
        let assignment = Assignment(name: name, printed: text, unit: unit)
        #expect((try? assignment.stored(attribute, Self.imperial))?.description == value)
    }

    @Test("The error for a refused value gives the reason, and stays short even if the value is long")
    func reasons() {
        func reason(_ name: String, _ text: String, _ unit: String, _ type: ValueType = .float) -> String {
            let attribute = Attribute(name: name, group: AttributeGroup(name: "b"), valueType: type)
            let error = thrown(UsageError.self) {
                try Assignment(name: name, printed: text, unit: unit).stored(attribute, Self.imperial)
            }
            return error?.description ?? "stored"
        }
        #expect(
            reason("weight", "72,4", "kg")
                == "weight takes a number, not “72,4”. A decimal point is a point, not a comma.")
        #expect(
            reason("weight", "72.4", "")
                == "weight: “72.4” may be in lb or in kg. Name the unit in a column “unit”, or in a column's name, as in "
                + "“weight (kg)”.")
        #expect(reason("weight", "72.4", "banana") == "weight can be in lb or kg, but not in “banana”.")
        #expect(reason("steps", "7", "banana", .int) == "steps has no unit, and so cannot be in “banana”.")
        #expect(reason("sleep_start", "671", "", .minFromMidday).hasSuffix("or write a time such as 22:55."))
        #expect(reason("odd", "7", "", .unknown(9)).contains("the type 9"))
        #expect(reason("weight", String(repeating: "7", count: 9_000) + "x", "kg").count < 200)
    }
}
