import ExistKit
import PledgeCoding

/// The period that a bucket in a chart stands for: a day while there are few enough to tell apart, and otherwise a week,
/// a month, or a year, drawn at the mean of its days.
enum ReportPace: Equatable {
    case day, week, month, year

    init(days: Int) {
        self = days <= 31 ? .day : days <= 371 ? .week : days <= 1830 ? .month : .year
    }

    /// Returns whether a new bucket begins on this day.
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
    var pace: ReportPace { ReportPace(days: days.count) }

    /// Whether there are too many days to show one by one.
    var isLong: Bool { pace != .day }

    /// Whether a chart needs the whole width of its card.
    var isWide: Bool { days.count > 10 }

    /// The range of days for each bucket in a chart.
    var buckets: [Range<Int>] {
        let pace = pace
        let starts = days.indices.filter { $0 == 0 || pace.begins(on: days[$0]) }
        return zip(starts, starts.dropFirst() + [days.count]).map { $0..<$1 }
    }

    /// A letter or digit for each bucket: the initial of the weekday or month, or the year's last digit; nil for a week
    /// in which no month begins.
    var bucketInitials: [Character?] {
        let pace = pace
        var month: Int?
        return buckets.map { bucket in
            let (first, last) = (days[bucket.lowerBound], days[bucket.upperBound - 1])
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

    /// Returns the name of a bucket, such as `Mon 12 – Sun 18 October 2026`.
    func name(of bucket: Range<Int>) -> String {
        let (first, last) = (days[bucket.lowerBound], days[bucket.upperBound - 1])
        return isLong ? ExistDay.range(from: first, to: last, withYear: true) : first.long
    }

    /// Returns the items to show of a list that grows with the days, and the number of items left out.
    func shown<Item>(_ items: [Item]) -> (items: ArraySlice<Item>, left: Int) {
        guard isLong, items.count > Self.longestList else { return (items[...], 0) }
        return (items.prefix(Self.longestList), items.count - Self.longestList)
    }

    static let longestList = 20

    /// - Parameter others: What distinguishes those left out, such as `earlier`.
    static func more(_ left: Int, _ others: String = "earlier") -> String {
        "\(NumberText.grouped(Double(left))) \(others) \(left == 1 ? "one is" : "ones are") in --json."
    }
}

extension WeeklyReport.Attribute {
    /// Returns one entry for each bucket in a chart: a day's value, or the mean of its days (for a tag, the share set).
    func buckets(in report: WeeklyReport) -> [Double?] {
        var values = values(on: report.days)
        guard report.isLong else { return values }
        // A partial day would make the last bucket too low.
        if soFar, let last = values.indices.last { values[last] = nil }
        return report.buckets.map { bucket in
            let known = values[bucket].compactMap(\.self)
            let mean = known.reduce(0, +) / Double(known.count)
            return mean.isFinite ? mean : nil
        }
    }

    /// Returns the kind that determines how such an entry is drawn and formatted.
    func bucketKind(in report: WeeklyReport) -> WeeklyReport.Kind {
        kind == .boolean && report.isLong ? .percentage : kind
    }
}
