import ExistKit
import Foundation
import PledgeCoding

/// Texts that the text report and the web page have in common.
extension Report {
    func daysInWords(withYear: Bool) -> String {
        guard let first = days.first, let last = days.last else { return "no days" }
        return ExistDay.range(from: first, to: last, withYear: withYear)
    }

    /// Returns a short text for a day, to show beside an entry: `Today`, `Yesterday`, or a date such as `Tue 24 Nov`.
    func mark(_ day: ExistDay) -> String {
        guard endsToday, let last = days.last, day == last || day == last.advanced(by: -1) else { return day.short }
        return day == last ? "Today" : "Yesterday"
    }

    /// The days of the report as part of a sentence, such as `this week` or `in these 10 days`.
    var spanInWords: String {
        if endsToday, days.isEmpty || days.count == 7 { return "this week" }
        return days.count == 1 ? "on this day" : "in these \(days.count) days"
    }

    /// The days of the report as a noun, such as `week`, `month`, or `10 days`.
    var spanName: String {
        if days.count == 1 || days.count == 7 { return days.count == 1 ? "day" : "week" }
        if let first = days.first, let last = days.last, first.day == 1, last.advanced(by: 1).day == 1 {
            if days.count <= 31 { return "month" }
            if first.month == 1, last.month == 12, first.year == last.year { return "year" }
        }
        return "\(NumberText.grouped(Double(days.count))) days"
    }

    var title: String { spanName.first?.isNumber == true ? spanName : "A \(spanName)" }

    /// The name of the report's last day: `today`, or its weekday if it isn't today.
    var lastDay: String { endsToday ? "today" : days.last?.weekdayName ?? "last day" }

    var attributes: [Attribute] { groups.flatMap(\.attributes) }

    /// The lists that follow the attributes. If a list is long, only its first entries are shown at first, and `others`
    /// describes the rest in a word, such as “earlier”. If `others` is nil, all entries are shown.
    var shownLists: [(list: List, others: String?)] {
        let correlations = correlations.map { List.Entry(text: "\($0.sentence)\n\($0.strength)") }
        let found: [(list: List, others: String?)] = [
            (List(title: "Correlations", entries: correlations), "weaker"),
            (List(title: "Insights", entries: distinctInsights), "earlier"),
            (List(title: "Not everything could be read", entries: warnings.map { .init(text: $0) }), nil),
        ]
        return lists.map { ($0, nil) } + found.filter { !$0.list.entries.isEmpty }
    }

    /// The insights without repetitions. Insights that begin with the same line, such as “Yesterday's summary”, are
    /// listed once: the newest insight is shown, with the number of earlier ones.
    private var distinctInsights: [List.Entry] {
        let same = Dictionary(grouping: insights.indices) { ExactText(insights[$0].text.safeLines.first ?? "") }
        return same.values.sorted { $0[0] < $1[0] }.map { repeats in
            let insight = insights[repeats[0]]
            let others = repeats.count > 1 ? "\n(and \(repeats.count - 1) earlier like it)" : ""
            return .init(mark: insight.day.map(mark) ?? "Over time", text: insight.text + others)
        }
    }

    var hasUsual: Bool { !isLong && attributes.contains { $0.usual.contains { $0 != nil } } }

    /// Sentences that explain the columns and lines of this report.
    var notes: [String] {
        var notes: [String] = []
        if hasUsual {
            let then = endsToday ? "" : " at the time"
            notes.append(
                "“Usual” is the average\(then) for that weekday, or the overall average if that weekday has none.")
        }
        if attributes.contains(where: { $0.summary?.value != nil }) {
            let tags = attributes.contains { $0.kind == .boolean } ? " (for a tag, the number of days)" : ""
            let before = "“\(beforeName)” is the same figure for an equal number of days before the report"
            notes.append("“Mean” is the mean of the complete days\(tags); \(before).")
        }
        if isLong { notes.append("Charts are drawn by \(pace.name): each mark is the mean of its days.") }
        if !correlations.isEmpty { notes.append("A correlation does not imply a cause.") }
        return notes
    }
}

extension Report.Attribute {
    func notes(on days: [ExistDay]) -> [(day: ExistDay, text: String)] {
        zip(days, texts ?? []).compactMap { day, text in
            guard let text, !text.onOneLine.isEmpty else { return nil }
            return (day, text)
        }
        .reversed()
    }
}

/// The texts that compare an attribute's value with other values. The text report and the web page share them. A
/// comparison is never a judgment: more isn't better. An incomplete day is never compared with whole days.
extension Report {
    /// Returns the value to show for an attribute, or nil if there is none.
    ///
    /// It is the last day's value, or else the latest value with its weekday. In a long report, it is the mean. For a
    /// tag, it is the number of days that have it.
    func shown(_ attribute: Attribute) -> (number: String, unit: String?, day: String?)? {
        let words = ValueText(attribute)
        if attribute.kind == .boolean {
            let known = attribute.week.compactMap(\.self)
            let unit = "of \(known.count) \(known.count == 1 ? "day" : "days")"
            return known.isEmpty ? nil : ("\(known.count { $0 >= 0.5 })", unit, nil)
        }
        if isLong {
            return attribute.summary?.value.map { words.parts($0, isMean: true) }.map { ($0.number, $0.unit, nil) }
        }
        guard let index = attribute.week.lastIndex(where: { $0 != nil }), let latest = attribute.week[index] else {
            return nil
        }
        let (number, unit) = words.parts(latest)
        return (number, unit, index == days.count - 1 ? nil : days[index].weekdayName)
    }

    /// Returns how the shown value differs from the usual one, such as `+12 %`, `48m later`, `as usual`, or `not yet`.
    /// In a long report, the value is compared with the mean of the days before the report. Returns nil if there is
    /// nothing to compare it with.
    func change(of attribute: Attribute) -> String? {
        let isEmpty = attribute.week.allSatisfy { $0 == nil }
        if isEmpty || attribute.kind == .boolean { return isEmpty ? "nothing \(spanInWords)" : nil }
        let usual = isLong ? attribute.summary?.before : attribute.usual.last ?? nil
        guard let value = isLong ? attribute.summary?.value : attribute.today else {
            return isLong ? nil : endsToday ? "not yet" : "none on \(lastDay)"
        }
        if attribute.soFar, !isLong { return "so far" }
        return usual.map { ValueText(attribute).change(from: $0, to: value) ?? (isLong ? "as before" : "as usual") }
    }

    /// The name of what is usual on the last day's weekday, such as `usual Thu`.
    var usualName: String { "usual \(days.last?.weekdayName ?? "day")" }

    /// The name of the mean of the days before the report, such as `week before`.
    var beforeName: String { "\(spanName) before" }

    /// Returns the three numbers that values are compared with, as texts with their names: what is usual on the last
    /// day's weekday, the mean of the complete days, and the mean of the same number of days before the report. A text
    /// is nil if its number is unknown, or if the number is the one that `shown(_:)` returns.
    func baselines(of attribute: Attribute, hasUnit: Bool = false) -> [(name: String, text: String?)] {
        let words = ValueText(attribute, hasUnit: hasUnit)
        func text(_ value: Double?) -> String? {
            guard let value else { return nil }
            guard attribute.kind == .boolean else { return words.average(value) }
            return "\(NumberText.grouped(value)) \(value == 1 ? "day" : "days")"
        }
        let hasMean = !isLong && days.count > 1 && attribute.kind != .boolean
        return [
            (usualName, isLong ? nil : (attribute.usual.last ?? nil).map(words.average)),
            ("mean", hasMean ? text(attribute.summary?.value) : nil),
            (beforeName, text(attribute.summary?.before)),
        ]
    }

    /// Returns each baseline as a phrase with its name, such as `usual Thu 7,128`, `mean 7,696`, or
    /// `week before 7,406`.
    func comparisons(of attribute: Attribute, hasUnit: Bool = false) -> [String] {
        baselines(of: attribute, hasUnit: hasUnit).compactMap { name, text in text.map { "\(name) \($0)" } }
    }
}

extension ValueText {
    /// Returns the difference of two values as text, such as `48m later`. Returns nil if the difference is too small to
    /// show.
    func change(from usual: Double, to value: Double) -> String? {
        let difference = value - usual
        switch kind {
        case .duration:
            return minutes(difference, "more", "less")
        case .timeOfDay:
            // Some services represent 00:20 as 20 minutes, and others as 1460. Both are half an hour later than 23:50,
            // so a difference is reduced to at most half a day.
            return minutes(difference - (difference / 1440).rounded() * 1440, "later", "earlier")
        case .quantity where usual >= Self.smallQuantity:
            return signed(difference / usual * 100, decimals: 0, unit: "%")
        case .percentage:
            return signed(difference * 100, decimals: 1, unit: "points")
        case .decimal:
            return signed(difference, decimals: decimals(for: max(usual.magnitude, value.magnitude)), unit: unit)
        case .scale, .quantity, .boolean, .text:
            return signed(difference, decimals: 1, unit: kind == .scale ? nil : unit)
        }
    }

    private func minutes(_ difference: Double, _ more: String, _ fewer: String) -> String? {
        guard difference.rounded() != 0 else { return nil }
        return "\(Self.duration(difference.magnitude)) \(difference > 0 ? more : fewer)"
    }

    private func signed(_ difference: Double, decimals: Int, unit: String?) -> String? {
        guard NumberText.rounded(difference, decimals: decimals) != 0 else { return nil }
        let number = (difference > 0 ? "+" : "") + NumberText.trimmed(difference, decimals: decimals)
        return unit.map { "\(number) \($0)" } ?? number
    }
}

/// Returns a person's names joined with spaces, or nil if all of them are missing or empty.
func fullName(_ parts: String?...) -> String? {
    let name = parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    return name.isEmpty ? nil : name
}
