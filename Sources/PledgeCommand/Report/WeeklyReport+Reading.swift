import ExistKit

/// What both renderers read out of a report in the same words.
extension WeeklyReport {
    /// `Sat 14 – Fri 20 November`
    func weekInWords(withYear: Bool = false) -> String {
        guard let first = days.first, let last = days.last else { return "no days" }
        return ExistDay.range(from: first, to: last, withYear: withYear)
    }

    /// `today`, `yesterday`, or the day's name.
    func name(ofDay day: ExistDay) -> String {
        if endsToday {
            if day == days.last { return "today" }
            if day == days.dropLast().last { return "yesterday" }
        }
        return day.long
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

    /// `this week`, `in these 10 days`
    var spanInWords: String {
        if endsToday, days.isEmpty || days.count == 7 { return "this week" }
        return days.count == 1 ? "on this day" : "in these \(days.count) days"
    }

    /// `A week`, `10 days`
    var title: String {
        switch days.count {
        case 1: "A day"
        case 7: "A week"
        default: wholeMonthOrYear ?? "\(NumberText.grouped(Double(days.count))) days"
        }
    }

    private var wholeMonthOrYear: String? {
        guard let first = days.first, let last = days.last, first.day == 1, last.advanced(by: 1).day == 1 else {
            return nil
        }
        if days.count <= 31 { return "A month" }
        return first.month == 1 && last.month == 12 && first.year == last.year ? "A year" : nil
    }

    /// `today`, or the last day's name where it is another.
    var lastDay: String { endsToday ? "today" : days.last?.weekdayName ?? "last day" }

    var hasUsual: Bool { !isLong && groups.flatMap(\.attributes).contains { $0.usual.contains { $0 != nil } } }

    var hasSummaries: Bool { groups.flatMap(\.attributes).contains { $0.summary?.value != nil } }

    /// What the columns and lines mean, of those that are there.
    var notes: [String] {
        var notes: [String] = []
        if hasUsual {
            notes.append(
                endsToday
                    ? "“Usual” is what is usual for that day of the week, or overall where there is none."
                    : "“Usual” is what was usual then for that day of the week, or overall where there was none.")
        }
        if hasSummaries {
            let hasTags = groups.flatMap(\.attributes).contains { $0.summary?.kind == .days }
            let span = days.count == 1 ? "the day" : "the \(days.count) days"
            notes.append(
                "“A day” is the mean of the days that are over\(hasTags ? ", or how often a tag was set" : ""); “before” is "
                    + "the same for \(span) before.")
        }
        if isLong { notes.append("Charts are drawn by \(pace.name): each place is the mean of its days.") }
        if !correlations.isEmpty {
            notes.append("Relations are not causes: things that go together need not bring each other about.")
        }
        return notes
    }

    static let demoNote =
        "DEMO: everything here is invented, about a person who does not exist. “pledge help login” says how to see yours."
}

extension WeeklyReport.Attribute {
    /// Days as one number, in words: `6,031`, or for a tag `43×`. The unit is that of the kind.
    func summaryText(_ value: Double, withUnit: Bool = true) -> String {
        guard value.isFinite else { return "" }
        guard kind == .boolean else { return (withUnit ? ValueText(self) : ValueText(kind: kind)).average(value) }
        return "\(Int(exactly: value) ?? 0)×"
    }

    /// Exactly one entry for each of `days`, however many the service sent; what is not a number is missing.
    func values(on days: [ExistDay]) -> [Double?] {
        days.indices.map { index in
            guard week.indices.contains(index), let value = week[index], value.isFinite else { return nil }
            return value
        }
    }

    /// The newest number and the place of its day; nil where there is none.
    func latest(on days: [ExistDay]) -> (value: Double, place: Int)? {
        let values = values(on: days)
        return values.indices.last { values[$0] != nil }.flatMap { place in values[place].map { ($0, place) } }
    }

    /// What is usual on a day; nil where that is unknown, or no number.
    func usual(at place: Int) -> Double? {
        guard usual.indices.contains(place), let value = usual[place], value.isFinite else { return nil }
        return value
    }

    /// The week's texts with their days, newest first, without empty ones.
    func notes(on days: [ExistDay]) -> [(day: ExistDay, text: String)] {
        zip(days, texts ?? []).compactMap { day, text in
            guard let text, !text.onOneLine.isEmpty else { return nil }
            return (day, text)
        }
        .reversed()
    }
}
