import ExistKit
import PledgeCoding

/// Wording shared by both renderers.
extension WeeklyReport {
    func weekInWords(withYear: Bool) -> String {
        guard let first = days.first, let last = days.last else { return "no days" }
        return ExistDay.range(from: first, to: last, withYear: withYear)
    }

    /// A day beside a text: `Today`, `Yesterday`, `Tue 24 Nov`.
    func mark(_ day: ExistDay) -> String {
        guard endsToday, let last = days.last, day == last || day == last.advanced(by: -1) else { return day.short }
        return day == last ? "Today" : "Yesterday"
    }

    /// The span within a sentence, such as `this week` or `in these 10 days`.
    var spanInWords: String {
        if endsToday, days.isEmpty || days.count == 7 { return "this week" }
        return days.count == 1 ? "on this day" : "in these \(days.count) days"
    }

    /// The days as a noun: `week`, `month`, `10 days`.
    var spanName: String {
        if days.count == 1 || days.count == 7 { return days.count == 1 ? "day" : "week" }
        if let first = days.first, let last = days.last, first.day == 1, last.advanced(by: 1).day == 1 {
            if days.count <= 31 { return "month" }
            if first.month == 1, last.month == 12, first.year == last.year { return "year" }
        }
        return "\(NumberText.grouped(Double(days.count))) days"
    }

    var title: String { spanName.first?.isNumber == true ? spanName : "A \(spanName)" }

    /// `today`, or the weekday of a last day that isn't today.
    var lastDay: String { endsToday ? "today" : days.last?.weekdayName ?? "last day" }

    var attributes: [Attribute] { groups.flatMap(\.attributes) }

    /// What follows the attributes, with a word for those entries that are left out at first; nil if all are shown.
    var findings: [(list: List, others: String?)] {
        let correlations = correlations.map { List.Entry(text: "\($0.sentence)\n\($0.strength)") }
        let found: [(list: List, others: String?)] = [
            (List(title: "Correlations", entries: correlations), "weaker"),
            (List(title: "Insights", entries: distinctInsights), "earlier"),
            (List(title: "Not everything could be read", entries: warnings.map { .init(text: $0) }), nil),
        ]
        return lists.map { ($0, nil) } + found.filter { !$0.list.entries.isEmpty }
    }

    /// The insights without repeats: of those that begin with the same line, such as “Yesterday's summary”, the newest.
    private var distinctInsights: [List.Entry] {
        let same = Dictionary(grouping: insights.indices) { ExactText(insights[$0].text.safeLines.first ?? "") }
        return same.values.sorted { $0[0] < $1[0] }.map { repeats in
            let insight = insights[repeats[0]]
            let others = repeats.count > 1 ? "\n(and \(repeats.count - 1) earlier like it)" : ""
            return .init(mark: insight.day.map(mark) ?? "Over time", text: insight.text + others)
        }
    }

    var hasUsual: Bool { !isLong && attributes.contains { $0.usual.contains { $0 != nil } } }

    /// Explanations of the columns and lines that are present.
    var notes: [String] {
        var notes: [String] = []
        if hasUsual {
            let then = endsToday ? "" : " at the time"
            notes.append("“Usual” is the average\(then) for that weekday, or overall if there is none.")
        }
        if attributes.contains(where: { $0.summary?.value != nil }) {
            let tags = attributes.contains { $0.kind == .boolean } ? ", and of a tag the number of days" : ""
            let before = "“\(baselineNames[2])” is that of as many days before"
            notes.append("“Mean” is the mean of the complete days\(tags); \(before).")
        }
        if isLong { notes.append("Charts are drawn by \(pace.name): each mark is the mean of its days.") }
        if !correlations.isEmpty { notes.append("A correlation does not imply a cause.") }
        return notes
    }
}

extension WeeklyReport.Attribute {
    func notes(on days: [ExistDay]) -> [(day: ExistDay, text: String)] {
        zip(days, texts ?? []).compactMap { day, text in
            guard let text, !text.onOneLine.isEmpty else { return nil }
            return (day, text)
        }
        .reversed()
    }
}
