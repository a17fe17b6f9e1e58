import Testing

@testable import PledgeCommand

@Suite("Values as text", .serialized)
struct ValueTextTests {
    @Test(
        "A value's text depends on its kind and unit; a number that can't be shown becomes a dash",
        arguments: [
            (.quantity, nil, 6031.4, "6,031"), (.quantity, "kJ", 1655, "1,655 kJ"),
            (.decimal, "km", 4.83, "4.8 km"), (.decimal, "kg", 72, "72.0 kg"), (.decimal, "l", 0.75, "0.75 l"),
            (.decimal, "l", 0.9, "0.9 l"), (.decimal, "km", 0, "0 km"), (.decimal, "km", 1204.4, "1,204 km"),
            (.decimal, "°C", -1.6, "−1.6 °C"), (.decimal, "l", 1.25, "1.3 l"), (.decimal, "km", 1, "1.0 km"),
            (.decimal, "km", 999.4, "999.4 km"), (.decimal, "km", 1000.4, "1,000 km"), (.duration, nil, -1, "−1m"),
            (.percentage, nil, 0.214, "21.4 %"), (.percentage, nil, 0.67, "67 %"),
            (.boolean, nil, 1, "yes"), (.boolean, nil, 0, "no"), (.scale, nil, 7, "7"), (.scale, nil, 5.8, "5.8"),
            (.duration, nil, 0, "0m"), (.duration, nil, 48, "48m"), (.duration, nil, 60, "1h"),
            (.duration, nil, 432, "7h 12m"), (.duration, nil, 59.6, "1h"), (.duration, nil, 0.6, "1m"),
            (.duration, nil, 1570, "26h 10m"), (.duration, nil, -20, "−20m"), (.timeOfDay, nil, 1375, "22:55"),
            (.timeOfDay, nil, 1462, "00:22"), (.timeOfDay, nil, 404, "06:44"), (.timeOfDay, nil, 0, "00:00"),
            (.timeOfDay, nil, 1439.6, "00:00"), (.timeOfDay, nil, -30, "23:30"), (.duration, nil, .nan, "–"),
            (.duration, nil, .infinity, "–"), (.duration, nil, 1e300, "–"), (.timeOfDay, nil, .nan, "–"),
            (.timeOfDay, nil, .infinity, "–"), (.timeOfDay, nil, 1e300, "–"), (.timeOfDay, nil, 1e12, "–"),
            (.duration, nil, 1e12, "–"), (.duration, nil, -0.2, "0m"), (.decimal, "km", 1000, "1,000 km"),
        ] as [(Report.Kind, String?, Double, String)])
    func values(kind: Report.Kind, unit: String?, value: Double, text: String) {
        #expect(ValueText(kind: kind, unit: unit).value(value) == text)
    }

    @Test(
        "Small averages have a decimal, averages of tags are percentages, and number and unit are available separately"
    )
    func averages() {
        #expect(ValueText(kind: .quantity).average(2.4) == "2.4")
        #expect(ValueText(kind: .quantity).average(6031.4) == "6,031")
        #expect(ValueText(kind: .quantity, unit: "cups").average(2) == "2 cups")
        #expect(ValueText(kind: .boolean).average(0.43) == "43 %")
        #expect(ValueText(kind: .duration).average(440) == "7h 20m")
        let parts = ValueText(kind: .decimal, unit: "kg\u{1B}").parts(72.04)
        #expect(parts.number == "72.0" && parts.unit == "kg")
    }
}
