import ExistKit

/// What both renderers read out of a report in the same words.
extension WeeklyReport {
    /// `Sat 14 – Fri 20 November`; days that are none are repeated as they came.
    func weekInWords(withYear: Bool = false) -> String {
        guard let first = days.first, let last = days.last else { return "no days" }
        if let start = ExistDay(first), let end = ExistDay(last) {
            return ExistDay.range(from: start, to: end, withYear: withYear)
        }
        return [first, last].map(\.onOneLine).joined(separator: " – ")
    }

    /// `today`, `yesterday`, or the day's name.
    func name(ofDay day: String) -> String {
        if day == days.last { return "today" }
        if day == days.dropLast().last { return "yesterday" }
        return ExistDay(day)?.long ?? day.onOneLine
    }

    /// The check-in as a sentence: `Mood 7 written for today and read back.`
    var checkInSentence: String? {
        guard let checkIn else { return nil }
        let written = "\(checkIn.label.onOneLine) \(checkIn.written) written for \(name(ofDay: checkIn.day))"
        return switch checkIn.readBack {
        case checkIn.written: "\(written) and read back."
        case let other?: "\(written), but read back as \(other)."
        case nil: "\(written), but not read back."
        }
    }

    static let relationsNote = "Relations are not causes: things that go together need not bring each other about."
}

extension WeeklyReport.Attribute {
    /// Exactly one entry for each of `days`, however many the service sent; what is not a number is missing.
    func values(on days: [String]) -> [Double?] {
        days.indices.map { index in
            guard week.indices.contains(index), let value = week[index], value.isFinite else { return nil }
            return value
        }
    }

    /// The week's texts with their days, newest first, without empty ones.
    func notes(on days: [String]) -> [(day: String, text: String)] {
        zip(days, texts ?? []).compactMap { day, text in
            guard let text, !text.onOneLine.isEmpty else { return nil }
            return (day, text)
        }
        .reversed()
    }
}

extension WeeklyReport.Correlation {
    /// `★★★★☆`
    var starText: String {
        String(repeating: "★", count: confidence) + String(repeating: "☆", count: 5 - confidence)
    }

    /// The stars as a number the renderers can rely on.
    var confidence: Int { min(max(stars, 0), 5) }

    /// `+62 %`
    var signedStrength: String { NumberText.signed(percentage) + " %" }
}
