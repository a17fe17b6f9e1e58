import ExistKit

/// How finely a report is drawn: a place in a chart is a day while there are few enough to tell apart, and else a week, a
/// month or a year, drawn at the mean of its days.
enum ReportPace: Equatable {
    case day, week, month, year

    init(days: Int) {
        self = days <= 31 ? .day : days <= 371 ? .week : days <= 1830 ? .month : .year
    }

    /// Whether a new place begins on this day.
    fileprivate func begins(on day: ExistDay) -> Bool {
        switch self {
        case .day: true
        case .week: day.weekday == .monday
        case .month: day.day == 1
        case .year: day.day == 1 && day.month == 1
        }
    }

    /// `week`
    var name: String { "\(self)" }
}

extension WeeklyReport {
    var pace: ReportPace { ReportPace(days: days.count) }

    /// Whether the days are too many to be shown one by one.
    var isLong: Bool { pace != .day }

    /// Whether a chart needs the whole width of its card.
    var isWide: Bool { days.count > 10 }

    /// The days of each place in a chart.
    var places: [Range<Int>] {
        let pace = pace
        let starts = days.indices.filter { $0 == 0 || pace.begins(on: days[$0]) }
        return zip(starts, starts.dropFirst() + [days.count]).map { $0..<$1 }
    }

    /// A letter or digit for each place, nil under most: the day of the week, the month that begins, or the year's last
    /// digit.
    var placeInitials: [Character?] {
        let pace = pace
        var month: Int?
        return places.map { place in
            let (first, last) = (days[place.lowerBound], days[place.upperBound - 1])
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

    /// `Mon 12 – Sun 18 October 2026`
    func name(ofPlace place: Range<Int>) -> String {
        let (first, last) = (days[place.lowerBound], days[place.upperBound - 1])
        return isLong ? ExistDay.range(from: first, to: last, withYear: true) : first.long
    }

    /// What is shown of a list that grows with the days, and how many are left out.
    func shown<Item>(_ items: [Item]) -> (items: ArraySlice<Item>, left: Int) {
        guard isLong, items.count > Self.longestList else { return (items[...], 0) }
        return (items.prefix(Self.longestList), items.count - Self.longestList)
    }

    static let longestList = 20

    static func more(_ left: Int) -> String { "\(NumberText.grouped(Double(left))) earlier ones are in --json." }
}

extension WeeklyReport.Attribute {
    /// What a chart draws: one entry for each place, the days' values or their means, of a tag how often it was set.
    func places(in report: WeeklyReport) -> [Double?] {
        var values = values(on: report.days)
        guard report.isLong else { return values }
        // Part of a day would make the last place lower than it is going to be.
        if soFar, let last = values.indices.last { values[last] = nil }
        return report.places.map { place in
            let known = values[place].compactMap(\.self)
            let mean = known.reduce(0, +) / Double(known.count)
            return mean.isFinite ? mean : nil
        }
    }

    /// How such an entry is drawn and written.
    func placeKind(in report: WeeklyReport) -> WeeklyReport.Kind {
        kind == .boolean && report.isLong ? .percentage : kind
    }
}
