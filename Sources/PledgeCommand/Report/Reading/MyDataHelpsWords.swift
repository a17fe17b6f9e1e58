import Foundation
import MyDataHelpsKit
import PledgeCoding

/// Readable words for the identifiers that MyDataHelps uses. An identifier that isn't in the tables is split into
/// words, or left unchanged.
enum MyDataHelpsWords {
    /// Returns the name of a type of data or of a survey question, such as `Resting heart rate` for `RestingHeartRate`
    /// and `Energy` for `EnergyStep`.
    static func name(_ word: String) -> String {
        if let known = names[ExactText(word)] { return known }
        let parts = words(word)
        guard parts.count > 1 else { return word }
        // The last word only says that the identifier names a survey's step or its result. It isn't part of the
        // question.
        let kept = parts.last == "step" || parts.last == "result" ? parts.dropLast() : parts[...]
        return kept.joined(separator: " ").capitalizedSentence
    }

    /// Returns the text of a state, such as `done` for `complete` and `missing contact info` for `MissingContactInfo`.
    static func state(_ word: String) -> String {
        states[ExactText(word)] ?? words(word).joined(separator: " ")
    }

    /// Returns the unit to show, such as `/min` for `count/min`, or `bpm` if the type is a heart rate. Returns nil for
    /// a plain count.
    static func unit(_ unit: String?, of type: String) -> String? {
        guard let unit, !unit.isEmpty else { return nil }
        let isPulse =
            ExactText(unit) == ExactText("count/min") && words(type).joined(separator: " ").contains("heart rate")
        if isPulse { return "bpm" }
        guard let known = units[ExactText(unit)] else { return unit }
        return known.isEmpty ? nil : known
    }

    private static let names = table([
        "AppleHealth": "Apple Health", "GoogleFit": "Google Fit", "GoogleHealth": "Google Health",
        "HealthConnect": "Health Connect", "steps-daily": "Steps", "distance-daily": "Distance",
        "floors-daily": "Floors",
        "dailyRestingHeartRate-list-beatsPerMinute": "Resting heart rate", "sleep-list-session-asleep": "Time asleep",
        "AirNowApi": "AirNow", "WeatherBit": "Weatherbit",
        "SleepMinutes": "Time asleep", "BloodPressureSystolic": "Blood pressure, systolic",
        "BloodPressureDiastolic": "Blood pressure, diastolic",
        "HeartRateVariabilitySDNN": "Heart rate variability",
    ])

    private static let states = table([
        "incomplete": "to do", "complete": "done", "closed": "closed",
        "fetchComplete": "up to date", "fetchingData": "being fetched",
        "error": "has a problem", "unauthorized": "to be connected again",
        "Sms": "SMS", "Succeeded": "sent",
    ])

    private static let units = table([
        "count": "", "count/min": "/min", "degC": "°C", "degF": "°F",
        "mL": "ml", "L": "l", "Cal": "kcal", "kCal": "kcal",
        "percent": "%", "minutes": "min", "hr": "h",
    ])

    private static func table(_ pairs: [String: String]) -> [ExactText: String] {
        Dictionary(pairs.map { (ExactText($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the words of an identifier in camel case or with separators. They are in lowercase, except for acronyms.
    private static func words(_ name: String) -> [String] {
        // Identifiers are short and in ASCII. Any other text was written by a person, and stays as it is.
        guard name.utf8.count <= 80, name.utf8.allSatisfy({ $0 < 0x80 && $0 > 0x20 }) else { return [name] }
        let separated = String(name.map { "-.".contains($0) ? "_" : $0 })
        var rest = separated.filter { $0 != "_" }[...]
        return SnakeCase.name(of: separated).split(separator: "_").map { word in
            let original = rest.prefix(word.count)
            rest.removeFirst(word.count)
            let isAcronym = word.count > 1 && original.allSatisfy { $0.isUppercase || $0.isNumber }
            return String(isAcronym ? original : word)
        }
    }
}
