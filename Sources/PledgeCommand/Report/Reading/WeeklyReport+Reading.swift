import ExistKit
import PledgeCoding

/// Wording shared by both renderers.
extension WeeklyReport {
    func weekInWords(withYear: Bool = false) -> String {
        guard let first = days.first, let last = days.last else { return "no days" }
        return ExistDay.range(from: first, to: last, withYear: withYear)
    }

    func name(ofDay day: ExistDay) -> String {
        if endsToday {
            if day == days.last { return "today" }
            if day == days.dropLast().last { return "yesterday" }
        }
        return day.long
    }

    /// The span within a sentence, such as `this week` or `in these 10 days`.
    var spanInWords: String {
        if endsToday, days.isEmpty || days.count == 7 { return "this week" }
        return days.count == 1 ? "on this day" : "in these \(days.count) days"
    }

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

    /// `today`, or the weekday of a last day that isn't today.
    var lastDay: String { endsToday ? "today" : days.last?.weekdayName ?? "last day" }

    var attributes: [Attribute] { groups.flatMap(\.attributes) }

    var hasUsual: Bool { !isLong && attributes.contains { $0.usual.contains { $0 != nil } } }

    /// Explanations of the columns and lines that are present.
    var notes: [String] {
        var notes: [String] = []
        if hasUsual {
            notes.append(
                endsToday
                    ? "“Usual” is the average for that weekday, or overall if there is none."
                    : "“Usual” is the average at the time for that weekday, or overall if there was none.")
        }
        if attributes.contains(where: { $0.summary?.value != nil }) {
            let hasTags = attributes.contains { $0.summary?.kind == .days }
            let span = days.count == 1 ? "the day" : "the \(days.count) days"
            notes.append(
                "“A day” is the mean of the complete days\(hasTags ? ", or how often a tag was set" : ""); “before” is "
                    + "the same for \(span) before.")
        }
        if isLong { notes.append("Charts are drawn by \(pace.name): each mark is the mean of its days.") }
        if !correlations.isEmpty {
            notes.append("A correlation does not imply a cause.")
        }
        return notes
    }
}

extension WeeklyReport.Attribute {
    /// Returns a summary such as `6,031`, or `43×` for a tag.
    func summaryText(_ value: Double, withUnit: Bool = true) -> String {
        guard value.isFinite else { return "" }
        guard kind == .boolean else { return (withUnit ? ValueText(self) : ValueText(kind: kind)).average(value) }
        return "\(Int(exactly: value) ?? 0)×"
    }

    /// The summaries of the days and of those before: `a day 6,031`, `before 5,310`.
    var meansInWords: [String] {
        func words(_ name: String, _ value: Double?) -> String? {
            value.flatMap { $0.isFinite ? "\(name) \(summaryText($0))" : nil }
        }
        // The comparison already shows how often a tag was set.
        return [kind == .boolean ? nil : words("a day", summary?.value), words("before", summary?.before)]
            .compactMap(\.self)
    }

    /// Returns one entry for each of `days`, however many the service sent; nil for values that aren't finite.
    func values(on days: [ExistDay]) -> [Double?] {
        days.indices.map(week.finite(at:))
    }

    func latest(on days: [ExistDay]) -> (value: Double, index: Int)? {
        days.indices.reversed().lazy.compactMap { index in week.finite(at: index).map { ($0, index) } }.first
    }

    func usual(at index: Int) -> Double? { usual.finite(at: index) }

    func notes(on days: [ExistDay]) -> [(day: ExistDay, text: String)] {
        zip(days, texts ?? []).compactMap { day, text in
            guard let text, !text.onOneLine.isEmpty else { return nil }
            return (day, text)
        }
        .reversed()
    }
}

extension [Double?] {
    func finite(at index: Int) -> Double? {
        indices.contains(index) ? self[index].flatMap { $0.isFinite ? $0 : nil } : nil
    }
}
