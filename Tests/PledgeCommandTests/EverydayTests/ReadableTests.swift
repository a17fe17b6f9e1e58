import Testing

@testable import PledgeCommand

@Suite("The words of MyDataHelps")
struct ReadableTests {
    @Test(
        "become words of people",
        arguments: [
            ("RestingHeartRate", "Resting heart rate"), ("SleepMinutes", "Time asleep"), ("Steps", "Steps"),
            ("EnergyStep", "Energy"), ("AppleHealth", "Apple Health"), ("HRVDaily", "HRV daily"),
            ("body_fat_percentage", "Body fat percentage"), ("Hur mår du?", "Hur mår du?"), ("", ""),
        ])
    func names(word: String, readable: String) {
        #expect(Readable.name(word) == readable)
    }

    @Test("also for states and units; what needs no unit has none")
    func statesAndUnits() {
        #expect(Readable.state("fetchComplete") == "up to date")
        #expect(Readable.state("MissingContactInfo") == "missing contact info")
        #expect(Readable.unit("count", of: "Steps") == nil && Readable.unit(nil, of: "Steps") == nil)
        #expect(Readable.unit("mmHg", of: "BloodPressureSystolic") == "mmHg")
        #expect(Readable.unit("count/min", of: "RespiratoryRate") == "/min")
        #expect(Readable.unit("count/min", of: "RestingHeartRate") == "bpm")
    }

    @Test("stay as they are where they are somebody's text, however long")
    func hostile() {
        let text = String(repeating: "aB", count: 50_000)
        #expect(Readable.name(text) == text)
    }
}
