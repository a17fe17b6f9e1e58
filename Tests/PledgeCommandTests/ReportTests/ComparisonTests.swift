import Testing

@testable import PledgeCommand

@Suite("Today against the usual", .serialized)
struct ComparisonTests {
    @Test(
        "is phrased to fit the kind",
        arguments: [
            (.quantity, nil, 6749, 6031.4, "+12 % vs usual 6,031"),
            (.quantity, nil, 3, 2.4, "+0.6 vs usual 2.4"),
            (.quantity, nil, 0, 0, "as usual"),
            (.decimal, "km", 4.83, 4.3, "+0.5 km vs usual 4.3 km"),
            (.decimal, "°C", 2.5, 6.1, "−3.6 °C vs usual 6.1 °C"),
            (.duration, nil, 489, 440, "49m more than usual 7h 20m"),
            (.duration, nil, 17, 58, "41m less than usual 58m"),
            (.timeOfDay, nil, 452, 404, "48m later than usual 06:44"),
            (.timeOfDay, nil, 1375, 1383, "8m earlier than usual 23:03"),
            (.percentage, nil, 0.211, 0.213, "−0.2 points vs usual 21.3 %"),
            (.scale, nil, 7, 5.8, "+1.2 vs usual 5.8"),
        ] as [(WeeklyReport.Kind, String?, Double, Double, String)])
    func phrases(kind: WeeklyReport.Kind, unit: String?, today: Double, usual: Double, phrase: String) {
        let attribute = WeeklyReport.Attribute("any", "Any", kind, unit: unit, [today], usual: usual)
        #expect(Comparison(attribute).phrase == phrase)
    }

    @Test("calls a difference too small to see as usual, and can still name the usual value")
    func unchanged() {
        let comparison = Comparison(.init("walk", "Walk", .duration, [48], usual: 47.6))
        #expect(comparison.phrase == "as usual")
        #expect(comparison.reference == "usual 48m")
    }

    @Test("takes the short way around midnight")
    func midnight() {
        let comparison = Comparison(.init("bed", "Bedtime", .timeOfDay, [20], usual: 1430))
        #expect(comparison.change == "30m later")
    }

    @Test("waits for a value that is still to come")
    func notYet() {
        let comparison = Comparison(.init("sleep", "Sleep", .duration, [420, nil], usual: 440))
        #expect(comparison.phrase == "not yet today, usual 7h 20m")
    }

    @Test("says so where the whole week is empty")
    func silence() {
        #expect(Comparison(.init("tasks", "Tasks", .quantity, [nil, nil])).phrase == "nothing this week")
    }

    @Test("has nothing to say without an average")
    func noAverage() {
        let comparison = Comparison(.init("steps", "Steps", .quantity, [100]))
        #expect(comparison.change == nil)
        #expect(comparison.reference == nil)
        #expect(comparison.phrase.isEmpty)
    }

    @Test("counts the days of a tag, of those that are known")
    func tags() {
        #expect(
            Comparison(.init("tea", "Tea", .boolean, [1, nil, 0, 1], usual: 0.43)).phrase == "2 of 3 days, usually 43 %"
        )
        #expect(Comparison(.init("tea", "Tea", .boolean, [nil, 1])).phrase == "1 of 1 day")
    }
}
