import ExistKit
import Foundation
import PledgeCoding

/// A report about one person. Its content has the same form for every source of data. The text, the JSON, and the web
/// page are all made from this value.
struct WeeklyReport: Codable, Equatable, Sendable {
    /// The person's name.
    var person: String
    /// The source of the data as people see it: `the built-in sandbox`, a host name, or a database with the day of its
    /// last sync.
    var source: String
    /// Whether the data is invented sample data.
    var demo = false
    /// The days of the report, oldest first.
    var days: [ExistDay]
    /// Whether the report's last day is today in the person's time zone.
    var endsToday = true
    var groups: [Group]
    var correlations: [Correlation]
    /// The insights, sorted by day with the newest first.
    var insights: [Insight]
    /// A sentence for each item that could not be decoded.
    var warnings: [String]
    /// Data that isn't a number per day: tasks, answers, and connected accounts.
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
        /// The unit, such as `km`, `kJ`, `kg`, or `°C`. Nil if there is none, or if the kind implies it.
        var unit: String?
        /// A number for each day of the report, or nil for a day without a number. Empty if the attribute is text.
        var week: [Double?]
        /// A text for each day of the report, or nil for a day without a text. The whole list is nil unless the
        /// attribute is text.
        var texts: [String?]?
        /// The number of the report's last day, or nil if the last day has none.
        var today: Double?
        /// Whether the last day's number still grows because the day isn't over. Such a number can't be compared with
        /// the number of a whole day.
        var soFar = false
        /// For each day of the report, the service's average for that weekday. If there is none for the weekday, it is
        /// the service's average over all days. Nil if the service has no average at all.
        var usual: [Double?] = []
        /// A summary of the complete days, and of the same number of days before the report. Nil for text.
        var summary: Summary?
    }

    /// The days of a report as one number, and the numbers to compare it with.
    ///
    /// `usual` is the mean of what is usual for these days. `before` is the mean of the days before the report. It is
    /// nil if those days have fewer than half as many values as the days of the report.
    struct Summary: Codable, Equatable, Sendable {
        /// The mean of the days with a value. For a tag, the number of days on which it was set.
        var value: Double?
        var usual: Double?
        var before: Double?
        /// The standard error of `value`. It is estimated from how much the days differ from each other, within the
        /// report and within the days before it. Nil for tags. Nil also if neither period has at least two days with a
        /// value.
        var standardError: Double?
    }

    /// The kind of an attribute's values. It determines how they are formatted.
    enum Kind: String, Codable, Sendable {
        case quantity
        case decimal
        /// A number of minutes, shown as `7h 12m`.
        case duration
        /// A number of minutes after midnight, shown as `22:55`. A bedtime after midnight is more than 1440, so that it
        /// counts as later than a bedtime before midnight: 1462 is `00:22`.
        case timeOfDay
        /// A fraction, shown as a percentage: 0.214 is `21.4 %`.
        case percentage
        case boolean
        /// A rating from 1 to 9, such as the mood.
        case scale
        case text
    }

    /// A correlation of two attributes. It doesn't imply that one causes the other.
    struct Correlation: Codable, Equatable, Sendable {
        /// The service's sentence, such as `You have a better day when you sleep more.`
        var sentence: String
        /// The correlation as a percentage, from -100 to 100.
        var percentage: Double
        var stars: Int
        /// The direction, the strength, and the certainty of the correlation in words, such as
        /// `Strong: when one rises, the other falls (−0.67). …`
        var strength: String
        var attributes: [String]
    }

    struct List: Codable, Equatable, Sendable {
        var title: String
        var entries: [Entry]

        struct Entry: Codable, Equatable, Sendable {
            /// A label that is shown beside the text, such as a day or a state.
            var mark = ""
            var text: String
        }
    }

    struct Insight: Codable, Equatable, Sendable {
        /// The day that the insight is about. Nil if it is about a longer time, such as a week or a month.
        var day: ExistDay?
        /// The insight's text, without markup. It may have several lines.
        var text: String
    }
}

/// The period that one mark of a chart stands for. In a report of up to 31 days, it is a day. In a longer report, it is
/// a week, a month, or a year, and the mark shows the mean of the period's days.
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

    /// Whether there are too many days to show each of them.
    var isLong: Bool { pace != .day }

    /// Whether a chart takes the full width of its card on the web page.
    var isWide: Bool { days.count > 10 }

    var buckets: [Range<Int>] {
        let starts = days.indices.filter { $0 == 0 || pace.begins(on: days[$0]) }
        return zip(starts, starts.dropFirst() + [days.count]).map { $0..<$1 }
    }

    /// A letter or digit for each bucket of a chart: the initial of the weekday or month, or the last digit of the
    /// year. If the buckets are weeks, only a week in which a month begins has a letter, the month's initial.
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

    /// The number of list entries that are shown at first, such as correlations, insights, or texts. Longer lists would
    /// push the attributes out of sight.
    static let longestList = 5
}

extension WeeklyReport.Attribute {
    /// Returns a number for each bucket of a chart: a day's value or, in a long report, the mean of the bucket's days.
    /// For a tag in a long report, that is the share of days on which it was set.
    func buckets(in report: WeeklyReport) -> [Double?] {
        guard report.isLong else { return week }
        var values = week
        // A last day that isn't over would make the mean of the last bucket too low.
        if soFar, let last = values.indices.last { values[last] = nil }
        return report.buckets.map { bucket in
            let known = values[bucket].compactMap(\.self)
            let mean = known.reduce(0, +) / Double(known.count)
            return mean.isFinite ? mean : nil
        }
    }

    /// Returns the kind of the numbers that `buckets(in:)` returns, which determines how they are drawn and formatted.
    /// In a long report, a tag becomes a percentage.
    func bucketKind(in report: WeeklyReport) -> WeeklyReport.Kind {
        kind == .boolean && report.isLong ? .percentage : kind
    }
}

/// The texts that compare an attribute's value with other values. The text report and the web page share them. A
/// comparison is never a judgment: more isn't better. An incomplete day is never compared with whole days.
extension WeeklyReport {
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

    /// The names of the three numbers that values are compared with: what is usual on the last day's weekday, the mean
    /// of the complete days, and the mean of the same number of days before the report.
    var baselineNames: [String] { ["usual \(days.last?.weekdayName ?? "day")", "mean", "\(spanName) before"] }

    /// Returns the three numbers that `baselineNames` names, as texts. A text is nil if its number is unknown, or if
    /// the number is the one that `shown(_:)` returns.
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

    /// Returns each baseline as a phrase with its name, such as `usual Thu 7,128`, `mean 7,696`, or
    /// `week before 7,406`.
    func comparisons(of attribute: Attribute, hasUnit: Bool = false) -> [String] {
        zip(baselineNames, baselines(of: attribute, hasUnit: hasUnit)).compactMap { name, text in
            text.map { "\(name) \($0)" }
        }
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

extension WeeklyReport.Correlation {
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

extension [Average] {
    /// Returns the averages that are valid in the report, by attribute. They are the newest averages. If the report
    /// ended in the past, they are the newest that had been computed by the report's last day.
    func valid(in span: ReportSpan) -> [ExactText: Average] {
        Dictionary(
            filter { span.isOpen || $0.day <= span.last }.map { (ExactText($0.attribute), $0) },
            uniquingKeysWith: { $0.day < $1.day ? $1 : $0 })
    }
}

extension Average {
    /// The number of days that an average is computed from. The last of them is the day before the computation.
    static let daysCovered = 60

    /// Returns the day on which the averages that are valid on `day` were computed. Exist computes them on Sundays.
    static func dayMade(for day: ExistDay) -> ExistDay {
        let index = ExistDay.Weekday.allCases.firstIndex(of: day.weekday) ?? 0
        return day.advanced(by: -((index + 1) % 7))
    }

    /// Computes the average that Exist would compute on a day: the medians of the values of the 60 days before. Returns
    /// nil for text, for tags, and if there are no values.
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
