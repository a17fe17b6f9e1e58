import Testing

@testable import PledgeCommand

@Suite("Comparisons with the usual value", .serialized)
struct ComparisonTests {
    /// Returns the text of an attribute's change, followed by the texts of the values that the attribute is compared
    /// with. The report has the attribute's days.
    private func comparison(_ attribute: Report.Attribute, endsToday: Bool = true) -> [String] {
        var report = Report.sample(of: attribute, days: attribute.week.count)
        report.endsToday = endsToday
        return [report.change(of: attribute) ?? "none"] + report.comparisons(of: attribute, hasUnit: true)
    }

    @Test(
        "A change is phrased for the kind of value, such as “48m later” or “+12 %”",
        arguments: [
            (.quantity, nil, 6749, 6031.4, "+12 %", "6,031"), (.quantity, nil, 3, 2.4, "+0.6", "2.4"),
            (.quantity, nil, 3, 2, "+1", "2"), (.duration, nil, 49, 48, "1m more", "48m"),
            (.quantity, nil, 0, 0, "as usual", "0"), (.duration, nil, 48, 47.6, "as usual", "48m"),
            (.decimal, "km", 4.83, 4.3, "+0.5 km", "4.3 km"), (.decimal, "°C", 2.5, 6.1, "−3.6 °C", "6.1 °C"),
            (.duration, nil, 489, 440, "49m more", "7h 20m"), (.duration, nil, 17, 58, "41m less", "58m"),
            (.timeOfDay, nil, 452, 404, "48m later", "06:44"), (.timeOfDay, nil, 1375, 1383, "8m earlier", "23:03"),
            // The change is taken the short way around midnight.
            (.timeOfDay, nil, 20, 1430, "30m later", "23:50"),
            (.percentage, nil, 0.211, 0.213, "−0.2 points", "21.3 %"), (.scale, nil, 7, 5.8, "+1.2", "5.8 of 9"),
        ] as [(Report.Kind, String?, Double, Double, String, String)])
    func phrases(
        kind: Report.Kind, unit: String?, today: Double, usual: Double, change: String, reference: String
    ) {
        let attribute = Report.Attribute("any", "Any", kind, unit: unit, [today], usual: usual)
        #expect(comparison(attribute) == [change, "usual Fri \(reference)"])
    }

    @Test("The last day is compared with its weekday's usual value, but not if it has no value or isn't over")
    func lastDay() {
        let sleep = Report.Attribute("sleep", "Sleep", .duration, [420, nil], usual: 440)
        #expect(comparison(sleep) == ["not yet", "usual Fri 7h 20m"])
        #expect(comparison(sleep, endsToday: false).first == "none on Fri")
        #expect(
            comparison(.init("a", "A", .quantity, [8000, 300], usual: 6764, soFar: true, mean: 8000, before: 7000))
                == ["so far", "usual Fri 6,764", "mean 8,000", "2 days before 7,000"])
        var steps = Report.Attribute("steps", "Steps", .quantity, [9000, 1000])
        steps.usual = [9000, 1000]
        #expect(comparison(steps) == ["as usual", "usual Fri 1,000"])
    }

    @Test("Without values or a usual value, nothing is compared; for a tag, only days with a value are counted")
    func days() throws {
        #expect(comparison(.init("tasks", "Tasks", .quantity, [nil, nil])) == ["nothing in these 2 days"])
        #expect(comparison(.init("steps", "Steps", .quantity, [100])) == ["none"])
        #expect(comparison(.init("a", "A", .quantity, [100], mean: 100, before: 90)) == ["none", "day before 90"])
        let tea = Report.Attribute("tea", "Tea", .boolean, [1, nil, 0, 1], mean: 2, before: 1)
        let shown = try #require(Report.sample(of: tea, days: 4).shown(tea))
        #expect(shown.number == "2" && shown.unit == "of 3 days" && shown.day == nil)
        #expect(comparison(tea) == ["none", "4 days before 1 day"])
        #expect(Report.Summary(.boolean, [nil, nil], before: []).value == nil)
    }
}
