import Testing

@testable import PledgeCommand

@Suite("A comparison with the usual", .serialized)
struct ComparisonTests {
    /// Returns the comparison in a report of one day, or of as many days as the attribute has.
    private func comparison(_ attribute: WeeklyReport.Attribute, endsToday: Bool = true) -> Comparison {
        var report = WeeklyReport.sample(of: attribute, days: attribute.week.count)
        report.endsToday = endsToday
        return Comparison(attribute, in: report)
    }

    @Test(
        "is phrased to fit the kind of value",
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
        #expect(comparison(attribute).phrase == phrase)
    }

    @Test("calls a difference too small to show “as usual”, and can still name the usual value")
    func unchanged() {
        let comparison = comparison(.init("walk", "Walk", .duration, [48], usual: 47.6))
        #expect(comparison.phrase == "as usual")
        #expect(comparison.reference == "usual 48m")
    }

    @Test("takes the short way around midnight")
    func midnight() {
        let comparison = comparison(.init("bed", "Bedtime", .timeOfDay, [20], usual: 1430))
        #expect(comparison.change == "30m later")
    }

    @Test("waits for a value that is still to come")
    func notYet() {
        let comparison = comparison(.init("sleep", "Sleep", .duration, [420, nil], usual: 440))
        #expect(comparison.phrase == "not yet, usual 7h 20m")
    }

    @Test("never compares a day that is not over with whole days")
    func soFar() {
        let steps = comparison(.init("steps", "Steps", .quantity, [8000, 300], usual: 6764, soFar: true))
        #expect(steps.change == "so far")
        #expect(steps.phrase == "so far; usual whole day 6,764")
    }

    @Test("names the last day if that is not today")
    func past() {
        let sleep = comparison(.init("sleep", "Sleep", .duration, [420, nil], usual: 440), endsToday: false)
        #expect(sleep.phrase == "none on Fri, usual 7h 20m")
    }

    @Test("uses the weekday of the last day, and of no other")
    func weekdays() {
        var steps = WeeklyReport.Attribute("steps", "Steps", .quantity, [9000, 1000])
        steps.usual = [9000, 1000]
        #expect(comparison(steps).change == "as usual")
    }

    @Test("reports if the whole week is empty")
    func emptyMessage() {
        #expect(comparison(.init("tasks", "Tasks", .quantity, [nil, nil])).phrase == "nothing in these 2 days")
    }

    @Test("is empty without an average")
    func noAverage() {
        let comparison = comparison(.init("steps", "Steps", .quantity, [100]))
        #expect(comparison.change == nil)
        #expect(comparison.reference == nil)
        #expect(comparison.phrase.isEmpty)
    }

    @Test("counts the days of a tag among those that are known")
    func tags() {
        #expect(
            comparison(.init("tea", "Tea", .boolean, [1, nil, 0, 1], usual: 0.43)).phrase == "2 of 3 days, usually 43 %"
        )
        #expect(comparison(.init("tea", "Tea", .boolean, [nil, 1])).phrase == "1 of 1 day")
    }
}
