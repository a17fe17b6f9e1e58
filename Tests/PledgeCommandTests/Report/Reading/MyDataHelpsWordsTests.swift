import Testing

@testable import PledgeCommand

@Suite("Readable names for the words of MyDataHelps")
struct MyDataHelpsWordsTests {
    @Test(
        "Identifiers become readable names; a person's own text and very long words stay unchanged",
        arguments: [
            ("RestingHeartRate", "Resting heart rate"), ("SleepMinutes", "Time asleep"), ("Steps", "Steps"),
            ("EnergyStep", "Energy"), ("AppleHealth", "Apple Health"), ("HRVDaily", "HRV daily"),
            ("body_fat_percentage", "Body fat percentage"), ("Hur mår du?", "Hur mår du?"), ("", ""),
            ("StepsADay", "Steps a day"), ("MoodResult", "Mood"),
            (String(repeating: "aB", count: 50_000), String(repeating: "aB", count: 50_000)),
        ])
    func names(word: String, readable: String) {
        #expect(MyDataHelpsWords.name(word) == readable)
    }

    @Test(
        "An identifier of up to 80 characters becomes readable; a longer one stays unchanged",
        arguments: [(78, "A "), (79, "a_")])
    func longest(count: Int, beginning: String) {
        let rest = String(repeating: "b", count: count)
        #expect(MyDataHelpsWords.name("a_" + rest) == beginning + rest)
    }

    @Test("States and units become readable; a unit that isn't needed is left out")
    func statesAndUnits() {
        #expect(MyDataHelpsWords.state("fetchComplete") == "up to date")
        #expect(MyDataHelpsWords.state("MissingContactInfo") == "missing contact info")
        #expect(MyDataHelpsWords.unit("count", of: "Steps") == nil && MyDataHelpsWords.unit(nil, of: "Steps") == nil)
        #expect(MyDataHelpsWords.unit("mmHg", of: "BloodPressureSystolic") == "mmHg")
        #expect(MyDataHelpsWords.unit("count/min", of: "RespiratoryRate") == "/min")
        #expect(MyDataHelpsWords.unit("count/min", of: "RestingHeartRate") == "bpm")
    }
}
