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
}
