import Testing

@testable import PledgeCommand

@Suite("Words of MyDataHelps")
struct ReadableTests {
    @Test(
        "become readable names",
        arguments: [
            ("RestingHeartRate", "Resting heart rate"), ("SleepMinutes", "Time asleep"), ("Steps", "Steps"),
            ("EnergyStep", "Energy"), ("AppleHealth", "Apple Health"), ("HRVDaily", "HRV daily"),
            ("body_fat_percentage", "Body fat percentage"), ("Hur mår du?", "Hur mår du?"), ("", ""),
        ])
    func names(word: String, readable: String) {
        #expect(Readable.name(word) == readable)
    }

    @Test("become readable states and units, and no unit where none is needed")
    func statesAndUnits() {
        #expect(Readable.state("fetchComplete") == "up to date")
        #expect(Readable.state("MissingContactInfo") == "missing contact info")
        #expect(Readable.unit("count", of: "Steps") == nil && Readable.unit(nil, of: "Steps") == nil)
        #expect(Readable.unit("mmHg", of: "BloodPressureSystolic") == "mmHg")
        #expect(Readable.unit("count/min", of: "RespiratoryRate") == "/min")
        #expect(Readable.unit("count/min", of: "RestingHeartRate") == "bpm")
    }

    @Test("stay unchanged where they are a person's text, however long")
    func hostile() {
        let text = String(repeating: "aB", count: 50_000)
        #expect(Readable.name(text) == text)
    }
}
