import ExistKit
import Testing

@testable import PledgeCommand

@Suite("A value to store")
struct AssignmentTests {
    @Test(
        "is a duration in any usual form, and may be negative in an increment",
        arguments: [
            ("450", 450), ("7h30m", 450), ("7 H 30 M", 450), ("7h", 420), ("45m", 45), ("75m", 75), ("7:30", 450),
            ("-45", -45), ("-45m", -45), ("-1h30m", -90), ("-1:30", -90), ("0h30m", 30), ("7h59m", 479), ("0h75m", nil),
            ("1h75m", nil), ("1h30", nil), ("h", nil), ("-", nil), ("--45m", nil), ("7:60", nil), ("", nil),
        ])
    func minutes(text: String, minutes: Int?) {
        #expect(Assignment.minutes(text) == minutes)
    }

    private func stored(_ assignment: Assignment, as type: ValueType) -> String? {
        let attribute = Attribute(name: "a", group: AttributeGroup(name: "b"), valueType: type)
        return (try? assignment.stored(attribute, User(username: "c")))?.description
    }

    @Test(
        "is stored in the form of its type, up to the type's limits, and refused otherwise",
        arguments: [
            (.string, "7", "7"), (.boolean, "YES", "1"), (.boolean, "false", "0"), (.boolean, "1", "1"),
            (.boolean, "2", nil), (.boolean, "-1", nil), (.scale, "0", nil), (.scale, "1", "1"), (.scale, "9.0", "9"),
            (.scale, "10", nil), (.periodMin, "0", "0"), (.periodMin, "-1", nil), (.periodMin, "1h", "60"),
            (.minFromMidnight, "0:00", "0"), (.minFromMidnight, "23:59", "1439"), (.minFromMidnight, "24:00", nil),
            (.minFromMidnight, "7:", nil), (.minFromMidnight, ":7", nil), (.minFromMidnight, "7:05:00", nil),
            (.minFromMidnight, "425", nil), (.minFromMidday, "23:10", "670"), (.minFromMidday, "0:30", "750"),
            (.percentage, "0", "0.0"), (.percentage, "1", "1.0"), (.percentage, "1.1", nil), (.percentage, "-1", nil),
            (.percentage, "250%", "2.5"), (.percentage, "inf%", nil), (.int, "2.0", "2"), (.int, "2.5", nil),
            (.float, "2.5", "2.5"), (.float, "2.0", "2"), (.float, "nan", nil),
            (.int, "9007199254740993", "9007199254740993"),
        ] as [(ValueType, String, String?)])
    func forms(type: ValueType, text: String, value: String?) throws {
        #expect(stored(try Assignment("a=\(text)"), as: type) == value)
    }

    @Test(
        "that was printed as minutes is a time of day, and a bedtime up to the next noon",
        arguments: [
            (.minFromMidnight, "0", "0"), (.minFromMidnight, "1439", "1439"), (.minFromMidnight, "1440", nil),
            (.minFromMidday, "720", "0"), (.minFromMidday, "1440", "720"), (.minFromMidday, "2159", "1439"),
            (.minFromMidday, "2160", nil), (.minFromMidday, "-1", nil),
        ] as [(ValueType, String, String?)])
    func printed(type: ValueType, text: String, value: String?) {
        #expect(stored(Assignment(name: "a", printed: text), as: type) == value)
    }
}
