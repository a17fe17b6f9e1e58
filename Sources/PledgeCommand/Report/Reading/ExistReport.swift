import ExistKit
import Foundation
import PledgeCoding

extension Report {
    /// Creates a report from Exist's data. The attributes must have the values of the report's days, and of the same
    /// number of days before the report.
    init(
        user: User, attributes: [ExistKit.Attribute], averages: [Average], correlations: [ExistKit.Correlation],
        insights: [ExistKit.Insight], span: ReportSpan, source: String, demo: Bool,
        warnings: [String]
    ) {
        let usual = averages.valid(in: span)
        let labels = Labels(attributes)

        person = fullName(user.firstName, user.lastName) ?? user.username
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

extension Report.Attribute {
    fileprivate init(_ attribute: ExistKit.Attribute, span: ReportSpan, usual: Average?, user: User) {
        let values = attribute.valuesByDay
        let shown = ValueCells(attribute, for: user)
        let isText = Kind(attribute.valueType) == .text
        func numbers(_ days: [ExistDay]) -> [Double?] {
            days.map { day in values[day]?.double.flatMap(shown.convert) }
        }
        name = attribute.name
        label = attribute.label
        kind = Kind(attribute.valueType)
        unit = shown.symbol
        week = isText ? [] : numbers(span.days)
        texts = isText ? span.days.map { day in values[day]?.plainText } : nil
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

    private typealias Kind = Report.Kind
}

extension ExistKit.Attribute {
    /// The values by their days. Days without a value are left out.
    var valuesByDay: [ExistDay: AttributeValue] {
        Dictionary(
            values.compactMap { entry in entry.value.map { (entry.day, $0) } }, uniquingKeysWith: { first, _ in first })
    }
}

extension Report.Summary {
    init(_ kind: Report.Kind, _ days: ArraySlice<Double?>, usual: [Double?] = [], before: [Double?]) {
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

    private static func one(_ values: [Double], _ kind: Report.Kind) -> Double? {
        guard !values.isEmpty else { return nil }
        if kind == .boolean { return Double(values.count { $0 >= 0.5 }) }
        let mean = values.reduce(0, +) / Double(values.count)
        return mean.isFinite ? mean : nil
    }
}

extension Report.Kind {
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

extension [Average] {
    /// Returns the averages that are valid in the report, by attribute. They are the newest averages. If the report
    /// ended in the past, they are the newest that had been computed by the report's last day.
    func valid(in span: ReportSpan) -> [ExactText: Average] {
        Dictionary(
            filter { span.isOpen || $0.day <= span.last }.map { (ExactText($0.attribute), $0) },
            uniquingKeysWith: { $0.day < $1.day ? $1 : $0 })
    }
}

extension Report.Correlation {
    /// Creates a correlation whose texts can't be misread: the service's sentence, followed by the direction, the
    /// strength, and the certainty in words.
    init(_ correlation: ExistKit.Correlation, _ labels: Labels) {
        let value = correlation.value
        let direction = value < 0 ? "when one rises, the other falls" : "they rise and fall together"
        if let said = correlation.secondPerson, !said.onOneLine.isEmpty {
            sentence = labels.naming(said).capitalizedSentence
        } else {
            let names = [correlation.attribute, correlation.attribute2].map { "“\(labels.label(of: $0))”" }
            sentence = "\(names[0]) and \(names[1]): \(direction)."
        }
        let later = correlation.offset == -1 ? ", a day later" : ""
        let number = (value < 0 ? "−" : "+") + NumberText.grouped(value.magnitude, decimals: 2)
        strength = "\(Self.strength(of: value)): \(direction)\(later) (\(number))."
        if let stars = correlation.stars {
            let known = min(max(stars, 1), 5)
            let certainty = ["very unsure", "unsure", "fairly sure", "sure", "very sure"][known - 1]
            strength += " Exist is \(certainty) (\(known) of 5)."
        }
        percentage = min(max(value, -1), 1) * 100
        stars = correlation.stars ?? 0
        attributes = [correlation.attribute, correlation.attribute2]
    }

    /// Returns the strength in words. The number is rounded first, so that the words agree with the rounded number that
    /// is shown.
    private static func strength(of value: Double) -> String {
        switch NumberText.rounded(value.magnitude, decimals: 2) {
        case ..<0.1: "Hardly any correlation"
        case ..<0.3: "Weak"
        case ..<0.5: "Moderate"
        case ..<0.7: "Strong"
        default: "Very strong"
        }
    }
}

/// The labels of attributes, found by the attributes' names.
struct Labels {
    private let labels: [ExactText: String]

    init(_ attributes: [ExistKit.Attribute]) {
        labels = Dictionary(
            attributes.map { (ExactText($0.name), $0.label.onOneLine) }, uniquingKeysWith: { first, _ in first })
    }

    func label(of name: String) -> String { labels[ExactText(name)] ?? name }

    /// Returns the sentence with each quoted attribute name replaced by its label. The service quotes names as in
    /// `you tag 'late_to_sleep' more`.
    func naming(_ sentence: String) -> String {
        guard sentence.utf8.contains(UInt8(ascii: "'")) else { return sentence }
        return labels.reduce(sentence) { sentence, label in
            sentence.replacingOccurrences(of: "'\(label.key.text)'", with: "“\(label.value)”", options: .literal)
        }
    }
}
