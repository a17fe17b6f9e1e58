import ExistKit
import Foundation
import PledgeCoding

/// Texts that the text report and the web page have in common.
extension WeeklyReport {
    func weekInWords(withYear: Bool) -> String {
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
    var findings: [(list: List, others: String?)] {
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
            let before = "“\(baselineNames[2])” is the same figure for an equal number of days before the report"
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

extension WeeklyReport {
    /// Creates a report from Exist's data. The attributes must have the values of the report's days, and of the same
    /// number of days before the report.
    init(
        user: User, attributes: [ExistKit.Attribute], averages: [Average], correlations: [ExistKit.Correlation],
        insights: [ExistKit.Insight], span: ReportSpan, source: String, demo: Bool,
        warnings: [String]
    ) {
        let usual = averages.valid(in: span)
        let labels = Labels(attributes)

        person = MyDataHelpsWords.fullName(user.firstName, user.lastName) ?? user.username
        self.source = source
        self.demo = demo
        days = span.days
        endsToday = span.endsToday
        groups = Dictionary(grouping: attributes) { ExactText($0.group.name) }.values
            .compactMap { members in members.first.map { (group: $0.group, members: members) } }
            .sorted { Self.rank($0.group) < Self.rank($1.group) }
            .map { group, members in
                Group(
                    name: group.name, label: group.label,
                    attributes: members.sorted { ($0.priority, ExactText($0.name)) < ($1.priority, ExactText($1.name)) }
                        .map { Attribute($0, span: span, usual: usual[ExactText($0.name)], user: user) })
            }
        self.correlations = correlations.sorted {
            // Correlations of equal strength are sorted by their attributes' names, so that the report doesn't depend
            // on the order in which its source lists them.
            (-abs($0.value), ExactText($0.attribute), ExactText($0.attribute2))
                < (-abs($1.value), ExactText($1.attribute), ExactText($1.attribute2))
        }.prefix(8).map {
            Correlation($0, labels)
        }
        self.insights = insights.inOrderOfTime.map { Insight(day: $0.targetDay, text: labels.naming($0.text)) }
        self.warnings =
            warnings
            + attributes.flatMap { attribute in
                attribute.unreadableValues.map { "Among the values of \(attribute.name), \($0)." }
            }
    }

    /// Returns a group's sort key. Mood, sleep, and activity come first, followed by the other groups in Exist's order.
    private static func rank(_ group: AttributeGroup) -> (Int, Int, ExactText) {
        let name = ExactText(group.name)
        let leading = ["mood", "sleep", "activity"].map(ExactText.init)
        return (leading.firstIndex(of: name) ?? leading.count, group.priority, name)
    }
}

extension WeeklyReport.Attribute {
    fileprivate init(_ attribute: ExistKit.Attribute, span: ReportSpan, usual: Average?, user: User) {
        let values = Dictionary(attribute.values.map { ($0.day, $0.value) }, uniquingKeysWith: { first, _ in first })
        let shown = ValueFormat(attribute, for: user)
        let isText = Kind(attribute.valueType) == .text
        func numbers(_ days: [ExistDay]) -> [Double?] {
            days.map { day in values[day].flatMap { $0?.double }.flatMap(shown.convert) }
        }
        name = attribute.name
        label = attribute.label
        kind = Kind(attribute.valueType)
        unit = shown.symbol
        week = isText ? [] : numbers(span.days)
        texts = isText ? span.days.map { day in values[day].flatMap { $0?.plainText } } : nil
        today = week.last ?? nil
        let states = ["sleep", "weather"].map(ExactText.init)
        // Only amounts grow during the day. A rating or a weight doesn't, and neither do last night's sleep and the
        // weather forecast.
        soFar =
            span.isOpen && kind.isAmount(unit: unit, label: label)
            && !states.contains(ExactText(attribute.group.name))
        self.usual =
            isText ? [] : span.days.map { day in (usual?[day.weekday] ?? usual?.overall).flatMap(shown.convert) }
        // If the last day isn't over, it is left out, because its number may still change. A tag is an exception: once
        // it is set, it stays set.
        let over = span.isOpen && kind != .boolean ? week.dropLast() : week[...]
        summary = isText ? nil : .init(kind, over, usual: self.usual, before: numbers(span.before))
    }

    private typealias Kind = WeeklyReport.Kind
}

extension WeeklyReport.Summary {
    init(_ kind: WeeklyReport.Kind, _ days: ArraySlice<Double?>, usual: [Double?] = [], before: [Double?]) {
        let own = days.compactMap(\.self)
        let earlier = before.compactMap(\.self)
        value = Self.one(own, kind)
        self.usual = Self.one(zip(days, usual).compactMap { $0 == nil ? nil : $1 }, .quantity)
        // The earlier days aren't compared if they have fewer than half as many values as the days of the report.
        self.before = earlier.count * 2 >= own.count ? Self.one(earlier, kind) : nil
        standardError = kind == .boolean ? nil : Self.standardError(own, earlier)
    }

    /// Returns the standard error of the mean of `days`. It is estimated from both periods: from how much each day
    /// differs from the mean of its own period. So it doesn't grow if the two means differ.
    private static func standardError(_ days: [Double], _ earlier: [Double]) -> Double? {
        let squares = [days, earlier].flatMap { span in
            let mean = span.reduce(0, +) / Double(span.count)
            return span.map { ($0 - mean) * ($0 - mean) }
        }
        let freedom = max(days.count - 1, 0) + max(earlier.count - 1, 0)
        let error = (squares.reduce(0, +) / Double(freedom) / Double(days.count)).squareRoot()
        return error.isFinite ? error : nil
    }

    private static func one(_ values: [Double], _ kind: WeeklyReport.Kind) -> Double? {
        guard !values.isEmpty else { return nil }
        if kind == .boolean { return Double(values.count { $0 >= 0.5 }) }
        let mean = values.reduce(0, +) / Double(values.count)
        return mean.isFinite ? mean : nil
    }
}

extension WeeklyReport.Kind {
    init(_ type: ValueType) {
        switch type {
        case .int: self = .quantity
        case .float: self = .decimal
        // A value of an unknown type may be anything, so it is shown as text.
        case .string, .unknown: self = .text
        case .periodMin: self = .duration
        case .minFromMidnight, .minFromMidday: self = .timeOfDay
        case .percentage: self = .percentage
        case .boolean: self = .boolean
        case .scale: self = .scale
        }
    }

    /// Whether numbers of this kind are amounts. Amounts, such as steps, add up and begin at zero. Levels, such as a
    /// weight, don't.
    func isAmount(unit: String?, label: String) -> Bool {
        guard self == .quantity || self == .decimal else { return self == .duration }
        let words = label.lowercased().split { !$0.isLetter }.map { ExactText(String($0)) }
        return !(words + [ExactText(unit?.onOneLine ?? "")]).contains(where: Self.levels.contains)
    }

    /// Units of levels, and words in the labels of levels.
    private static let levels = Set(
        [
            "°C", "°F", "kg", "lb", "lbs", "st", "bpm", "/min", "mmHg", "hPa", "%", "ms", "mg/dL", "mmol/L",
            "height", "weight", "mass", "index", "rate", "heartrate", "variability", "saturation", "temperature",
            "pressure", "glucose", "percentage", "circumference", "speed", "level",
        ].map(ExactText.init))
}
