import ExistKit
import Foundation
import PledgeCoding

/// A report about one person. Its content has the same form for every source of data. The text, the JSON, and the web
/// page are all made from this value.
struct Report: Codable, Equatable, Sendable {
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

extension Report {
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

extension Report.Attribute {
    /// Returns a number for each bucket of a chart: a day's value or, in a long report, the mean of the bucket's days.
    /// For a tag in a long report, that is the share of days on which it was set.
    func buckets(in report: Report) -> [Double?] {
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
    func bucketKind(in report: Report) -> Report.Kind {
        kind == .boolean && report.isLong ? .percentage : kind
    }
}
