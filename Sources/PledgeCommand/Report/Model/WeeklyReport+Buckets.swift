import ExistKit
import PledgeCoding

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

    func name(of bucket: Range<Int>) -> String {
        let (first, last) = (days[bucket.lowerBound], days[bucket.upperBound - 1])
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
