import ExistKit
import Foundation
import PledgeCoding

/// A person's report, independent of where its data comes from; text, JSON, and HTML represent this one value.
struct WeeklyReport: Codable, Equatable, Sendable {
    /// The name of the person.
    var person: String
    /// The source as shown to the reader: `the built-in sandbox` or a host name.
    var source: String
    /// Whether the data is invented.
    var demo = false
    /// The days, oldest first.
    var days: [ExistDay]
    /// Whether the last day is the current one in the person's time zone.
    var endsToday = true
    var groups: [Group]
    var correlations: [Correlation]
    /// The insights by day, newest first.
    var insights: [Insight]
    /// A sentence for each undecodable item.
    var warnings: [String]
    /// The data other than a number per day: tasks, answers, accounts.
    var lists: [List] = []

    struct Group: Codable, Equatable, Sendable {
        var name: String
        var label: String
        var attributes: [Attribute]
    }

    struct Attribute: Codable, Equatable, Sendable {
        var name: String
        var label: String
        var kind: Kind
        /// The unit (`km`, `kJ`, `kg`, `°C`); nil if the kind suffices.
        var unit: String?
        /// The number for each of `days`; nil if there is none. Empty for text.
        var week: [Double?]
        /// The text for each of `days`; nil unless the attribute is text.
        var texts: [String?]?
        /// The last day's number, if any.
        var today: Double?
        /// Whether the last day is incomplete, so that its number isn't comparable with a whole day's.
        var soFar = false
        /// The average for each day's weekday, or else for all, aligned with `days`; nil if the service has none.
        var usual: [Double?] = []
        /// The complete days as one number, and as many days before the span; nil for text.
        var summary: Summary?
    }

    /// Days as one number, what is usual for them, and the days before as one number, which is nil unless at least half
    /// as many have a value.
    struct Summary: Codable, Equatable, Sendable {
        /// The mean of the days with a value, or of a tag the number of days on which it was set.
        var value: Double?
        var usual: Double?
        var before: Double?
        /// The standard error of `value`, by how much the days differ within this span and within the one before. Nil
        /// for tags, and unless one of the spans has at least two days with a value.
        var standardError: Double?
    }

    /// The kind of an attribute's values, which determines their format.
    enum Kind: String, Codable, Sendable {
        case quantity
        case decimal
        /// Minutes, shown as `7h 12m`.
        case duration
        /// Minutes after midnight, shown as `22:55`. Late bedtimes exceed 1440, to sort last: 1462 is `00:22`.
        case timeOfDay
        /// A fraction: 0.214 is `21.4 %`.
        case percentage
        case boolean
        /// 1 to 9: mood.
        case scale
        case text
    }

    /// A correlation of two attributes, which doesn't imply a cause.
    struct Correlation: Codable, Equatable, Sendable {
        /// The service's sentence, such as `you have a better day when you sleep more.`
        var sentence: String
        /// The correlation, from -100 to 100.
        var percentage: Double
        var stars: Int
        /// The direction, strength, and certainty: `Strong: when one rises, the other falls (−0.67). …`
        var strength: String
        var attributes: [String]
    }

    struct List: Codable, Equatable, Sendable {
        var title: String
        var entries: [Entry]

        struct Entry: Codable, Equatable, Sendable {
            /// A label beside the text, such as a day or a state.
            var mark = ""
            var text: String
        }
    }

    struct Insight: Codable, Equatable, Sendable {
        /// The day the insight is about; nil for weeks and months.
        var day: ExistDay?
        /// Plain text, possibly with line breaks.
        var text: String
    }
}

/// The period of a chart's bucket: a day, or in a long report a week, month, or year, drawn at the mean of its days.
enum ReportPace: Equatable {
    case day, week, month, year

    fileprivate func begins(on day: ExistDay) -> Bool {
        switch self {
        case .day: true
        case .week: day.weekday == .monday
        case .month: day.day == 1
        case .year: day.day == 1 && day.month == 1
        }
    }

    var name: String { "\(self)" }
}

extension WeeklyReport {
    var pace: ReportPace {
        days.count <= 31 ? .day : days.count <= 371 ? .week : days.count <= 1830 ? .month : .year
    }

    /// Whether the days are too many to show one by one.
    var isLong: Bool { pace != .day }

    /// Whether a chart needs the full width of its card.
    var isWide: Bool { days.count > 10 }

    var buckets: [Range<Int>] {
        let starts = days.indices.filter { $0 == 0 || pace.begins(on: days[$0]) }
        return zip(starts, starts.dropFirst() + [days.count]).map { $0..<$1 }
    }

    /// A letter or digit per bucket: the initial of the weekday or month, or the year's last digit; nil for a week in
    /// which no month begins.
    var bucketInitials: [Character?] {
        var month: Int?
        return buckets.map { bucket in
            let first = days[bucket.lowerBound]
            let last = days[bucket.upperBound - 1]
            switch pace {
            case .day: return first.weekdayName.first
            case .week:
                defer { month = last.month }
                return last.month != month ? last.monthName.first : nil
            case .month: return first.monthName.first
            case .year: return String(first.year).last
            }
        }
    }

    func name(of bucket: Range<Int>) -> String {
        let first = days[bucket.lowerBound]
        let last = days[bucket.upperBound - 1]
        return isLong ? ExistDay.range(from: first, to: last, withYear: true) : first.long
    }

    /// The number of correlations, insights, or texts that are shown at once, so that attributes stay in sight.
    static let longestList = 5
}

extension WeeklyReport.Attribute {
    /// Returns an entry per bucket: a day's value, or the mean of its days (for a tag, the share set).
    func buckets(in report: WeeklyReport) -> [Double?] {
        guard report.isLong else { return week }
        var values = week
        // An incomplete day would make the last bucket too low.
        if soFar, let last = values.indices.last { values[last] = nil }
        return report.buckets.map { bucket in
            let known = values[bucket].compactMap(\.self)
            let mean = known.reduce(0, +) / Double(known.count)
            return mean.isFinite ? mean : nil
        }
    }

    /// Returns the kind by which such an entry is drawn and formatted.
    func bucketKind(in report: WeeklyReport) -> WeeklyReport.Kind {
        kind == .boolean && report.isLong ? .percentage : kind
    }
}

/// An attribute's value and what it is compared with, in words that all renderers share. A comparison is never a
/// judgment: more isn't better. An incomplete day is never compared with whole days.
extension WeeklyReport {
    /// Returns the last day's value, or else the latest one with its weekday; in a long report, the mean; of a tag,
    /// how many days have it. Nil if there is none.
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

    /// Returns the change alone, such as `+12 %`, `48m later`, `as usual`, `not yet`; nil if there is nothing to compare.
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

    /// What values are compared with: what is usual on the last weekday, the mean of the complete days, and that of as
    /// many days before.
    var baselineNames: [String] { ["usual \(days.last?.weekdayName ?? "day")", "mean", "\(spanName) before"] }

    /// Returns the numbers that these words mean, without those that `shown(_:)` has already.
    func baselines(of attribute: Attribute, hasUnit: Bool = false) -> [String?] {
        let words = ValueText(attribute, hasUnit: hasUnit)
        func text(_ value: Double?) -> String? {
            guard let value else { return nil }
            guard attribute.kind == .boolean else { return words.average(value) }
            return "\(NumberText.grouped(value)) \(value == 1 ? "day" : "days")"
        }
        return [
            isLong ? nil : (attribute.usual.last ?? nil).map(words.average),
            isLong || days.count == 1 || attribute.kind == .boolean ? nil : text(attribute.summary?.value),
            text(attribute.summary?.before),
        ]
    }

    /// The same as phrases: `usual Thu 7,128`, `mean 7,696`, `week before 7,406`.
    func comparisons(of attribute: Attribute, hasUnit: Bool = false) -> [String] {
        zip(baselineNames, baselines(of: attribute, hasUnit: hasUnit)).compactMap { name, text in
            text.map { "\(name) \($0)" }
        }
    }
}

extension ValueText {
    /// Returns a difference in words; nil if it is too small to show.
    func change(from usual: Double, to value: Double) -> String? {
        let difference = value - usual
        switch kind {
        case .duration:
            return minutes(difference, "more", "less")
        case .timeOfDay:
            // Whether a service represents 00:20 as 20 or as 1460, it is half an hour later than 23:50.
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

extension WeeklyReport.Correlation {
    /// Creates a correlation in words that prevent misreading: the service's sentence, with its direction, strength,
    /// and certainty spelled out.
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

    /// Returns the strength in words, consistent with the rounded number shown.
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

/// The display labels of attributes, by name.
struct Labels {
    private let labels: [ExactText: String]

    init(_ attributes: [ExistKit.Attribute]) {
        labels = Dictionary(
            attributes.map { (ExactText($0.name), $0.label.onOneLine) }, uniquingKeysWith: { first, _ in first })
    }

    func label(of name: String) -> String { labels[ExactText(name)] ?? name }

    /// Returns the sentence with labels in place of the names that the service quotes: `you tag 'late_to_sleep' more`.
    func naming(_ sentence: String) -> String {
        guard sentence.utf8.contains(UInt8(ascii: "'")) else { return sentence }
        return labels.reduce(sentence) { sentence, label in
            sentence.replacingOccurrences(of: "'\(label.key.text)'", with: "“\(label.value)”", options: .literal)
        }
    }
}

extension [Average] {
    /// Returns each attribute's newest average that was computed by the span's last day.
    func valid(in span: ReportSpan) -> [ExactText: Average] {
        Dictionary(
            filter { span.isOpen || $0.day <= span.last }.map { (ExactText($0.attribute), $0) },
            uniquingKeysWith: { $0.day < $1.day ? $1 : $0 })
    }
}

extension Average {
    /// The number of days that an average covers, up to the day before it is computed.
    static let daysCovered = 60

    /// Returns the Sunday on which the averages that are valid on a day were computed.
    static func dayMade(for day: ExistDay) -> ExistDay {
        let index = ExistDay.Weekday.allCases.firstIndex(of: day.weekday) ?? 0
        return day.advanced(by: -((index + 1) % 7))
    }

    /// Computes Exist's average for a day: medians of the 60 days before. Nil for text, for tags, or without values.
    init?(of attribute: ExistKit.Attribute, on day: ExistDay) {
        guard ![.string, .boolean].contains(attribute.valueType) else { return nil }
        let numbers = attribute.values.compactMap { entry -> (ExistDay.Weekday, Double)? in
            guard 1...Self.daysCovered ~= entry.day.distance(to: day), let number = entry.value?.double else {
                return nil
            }
            return (entry.day.weekday, number)
        }
        guard let overall = Self.median(numbers.map(\.1)) else { return nil }
        let weekdays = Dictionary(grouping: numbers, by: \.0).compactMapValues { Self.median($0.map(\.1)) }
        self.init(attribute: attribute.name, day: day, overall: overall, weekdays: weekdays)
    }

    private static func median(_ numbers: [Double]) -> Double? {
        let sorted = numbers.filter(\.isFinite).sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
