import Testing

@testable import PledgeCommand

@Suite("A value in words", .serialized)
struct ValueTextTests {
    @Test(
        "follows its kind and unit",
        arguments: [
            (.quantity, nil, 6031.4, "6,031"), (.quantity, "kJ", 1655, "1,655 kJ"),
            (.decimal, "km", 4.83, "4.8 km"), (.decimal, "kg", 72, "72.0 kg"), (.decimal, "l", 0.75, "0.75 l"),
            (.decimal, "l", 0.9, "0.9 l"), (.decimal, "km", 0, "0 km"), (.decimal, "km", 1204.4, "1,204 km"),
            (.decimal, "°C", -1.6, "−1.6 °C"),
            (.percentage, nil, 0.214, "21.4 %"), (.percentage, nil, 0.67, "67 %"),
            (.boolean, nil, 1, "yes"), (.boolean, nil, 0, "no"), (.scale, nil, 7, "7"), (.scale, nil, 5.8, "5.8"),
        ] as [(WeeklyReport.Kind, String?, Double, String)])
    func values(kind: WeeklyReport.Kind, unit: String?, value: Double, text: String) {
        #expect(ValueText(kind: kind, unit: unit).value(value) == text)
    }

    @Test(
        "shows minutes as hours and minutes",
        arguments: [
            (0, "0m"), (48, "48m"), (60, "1h"), (432, "7h 12m"), (59.6, "1h"), (0.6, "1m"), (1570, "26h 10m"),
            (-20, "−20m"),
        ] as [(Double, String)])
    func durations(minutes: Double, text: String) {
        #expect(ValueText(kind: .duration).value(minutes) == text)
    }

    @Test(
        "shows minutes after midnight as a time of day, even past 24 hours",
        arguments: [
            (1375, "22:55"), (1462, "00:22"), (404, "06:44"), (0, "00:00"), (1439.6, "00:00"), (-30, "23:30"),
        ] as [(Double, String)])
    func timesOfDay(minutes: Double, text: String) {
        #expect(ValueText(kind: .timeOfDay).value(minutes) == text)
    }

    @Test("shows averages of small numbers and of tags as fractions")
    func averages() {
        #expect(ValueText(kind: .quantity).average(2.4) == "2.4")
        #expect(ValueText(kind: .quantity).average(6031.4) == "6,031")
        #expect(ValueText(kind: .quantity, unit: "cups").average(2) == "2 cups")
        #expect(ValueText(kind: .boolean).average(0.43) == "43 %")
        #expect(ValueText(kind: .duration).average(440) == "7h 20m")
    }

    @Test("separates the unit, so that it can be set smaller")
    func parts() {
        let parts = ValueText(kind: .decimal, unit: "kg\u{1B}").parts(72.04)
        #expect(parts.number == "72.0")
        #expect(parts.unit == "kg")
    }

    @Test("is a dash for what is not a number or too large", arguments: [Double.nan, .infinity, 1e300])
    func extremes(value: Double) {
        for kind in [WeeklyReport.Kind.duration, .timeOfDay] {
            #expect(ValueText(kind: kind).value(value) == "–")
        }
    }
}
