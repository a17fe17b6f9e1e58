import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

struct ReportSpan: Equatable {
    /// The days of the report, oldest first. A report has at least one day.
    let days: [ExistDay]
    let endsToday: Bool
    /// Whether the last day wasn't over yet when the data was read.
    let isOpen: Bool

    /// The maximum number of days in a report that requests its data from a service.
    static let longest = ExistAPI.mostDaysPerRequest
    /// The maximum number of days in a report that reads its data from a database.
    static let longestStored = 36_525

    var last: ExistDay { days[days.count - 1] }

    /// The days directly before the report's first day. There are as many of them as the report has days.
    var before: [ExistDay] { days.map { $0.advanced(by: -days.count) } }

    enum Choice: Equatable {
        /// The given number of latest days. The last of them is today or, for a database, the day of its last sync.
        case latest(Int)
        case between(ExistDay?, ExistDay?)
        /// The days of a week, month, or year, from the first to the last. Days in the future are left out.
        case period(ExistDay, ExistDay)

        /// The number of days that were asked for. Nil if the choice has only a first or only a last day.
        var count: Int? {
            switch self {
            case .latest(let count): count
            case .between(let first?, let last?), .period(let first, let last): first.distance(to: last) + 1
            case .between: nil
            }
        }

        func days(today: ExistDay, read: ExistDay? = nil) throws -> ClosedRange<ExistDay> {
            let latest = read ?? today
            let first: ExistDay
            let last: ExistDay
            switch self {
            case .latest(let count): (first, last) = (latest.advanced(by: 1 - count), latest)
            case .between(let from, let to):
                if let to, to > today { throw UsageError("\(to) is in the future: today is \(today).") }
                last = min(to ?? latest, latest)
                first = from ?? last.advanced(by: -6)
            case .period(let from, let to): (first, last) = (from, min(to, latest))
            }
            guard first <= last else {
                throw UsageError(
                    read.map { "\(first) is not in the database, which was last synced on \($0)." }
                        ?? "\(first) is in the future: today is \(today).")
            }
            return first...last
        }
    }

    /// - Parameter read: The day on which the database was last synced, which is the latest day with data. Nil if the
    ///   data is requested from a service now.
    init(_ choice: Choice, today: ExistDay, read: ExistDay? = nil) throws {
        let chosen = try choice.days(today: today, read: read)
        try Self.check(chosen.count, isStored: read != nil)
        days = Array(chosen)
        endsToday = chosen.upperBound == today
        isOpen = chosen.upperBound == read ?? today
    }

    static func check(_ count: Int, isStored: Bool = false) throws {
        guard count > (isStored ? longestStored : longest) else { return }
        throw UsageError(
            isStored
                ? "A report shows \(longestStored) days at most."
                : "A report shows \(longest) days at most. For longer periods, create a database with “pledge "
                    + "sync”, and pass it with --database.")
    }

    /// Returns the first and the last day of a month such as `2026-10`, or nil if the text isn't a month.
    static func month(_ text: String) -> (first: ExistDay, last: ExistDay)? {
        guard text.utf8.count == 7, let first = ExistDay(text + "-01") else { return nil }
        let next = ExistDay(
            year: first.month == 12 ? first.year + 1 : first.year, month: first.month % 12 + 1, day: 1)
        return next.map { (first, $0.advanced(by: -1)) }
    }

    /// Returns the first and the last day of a year such as `2026`, or nil if the text isn't a year.
    static func year(_ text: String) -> (first: ExistDay, last: ExistDay)? {
        guard text.utf8.count == 4, let first = ExistDay(text + "-01-01"), let last = ExistDay(text + "-12-31")
        else { return nil }
        return (first, last)
    }

    /// Returns the Monday of an ISO 8601 week such as `2026-W40`, or nil if there is no such week.
    static func monday(ofWeek text: String) -> ExistDay? {
        let parts = text.uppercased().split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].first == "W", parts[1].count == 3,
            parts[1].dropFirst().allSatisfy(\.isNumber), let week = Int(parts[1].dropFirst()), week >= 1,
            // In ISO 8601, January 4 is always in the first week of its year.
            let fourth = ExistDay("\(parts[0])-01-04"),
            let index = ExistDay.Weekday.allCases.firstIndex(of: fourth.weekday)
        else { return nil }
        let monday = fourth.advanced(by: 7 * (week - 1) - index)
        // A week belongs to the year that contains its Thursday. If that is another year, this year has no week of this
        // number.
        return monday.advanced(by: 3).year == fourth.year ? monday : nil
    }
}

/// The days of a report about a MyDataHelps participant, and the time range of the data that the report needs.
struct ParticipantSpan {
    static let namespaces: [DeviceDataNamespace] = [.project, .fitbit, .appleHealth, .googleFit, .garmin, .omron]

    let report: ReportSpan
    let zone: TimeZone

    /// The last moment before the report's first day. A query for data after this moment includes the whole first day,
    /// because the service excludes both ends of a query's range.
    var start: Date { report.days[0].exclusiveStart(in: zone) }
    var startBefore: Date { report.before[0].exclusiveStart(in: zone) }
    var end: Date { report.last.advanced(by: 1).date(in: zone) }

    init(_ span: ReportSpan, in zone: TimeZone) {
        report = span
        self.zone = zone
    }

    func day(_ date: Date) -> ExistDay { ExistDay(date, in: zone) }

    /// Returns the option `--days`, the number of days up to and including today.
    static func days(usually usual: String) -> Option<Int> {
        Option.number("--days", "N", 1...3_660, "the number of days, including today", defaultValue: usual)
    }

    /// Returns the last moment before the latest `days` days, for a query that excludes the beginning of its range.
    static func start(ofLast days: Int, _ context: RunContext) -> Date {
        ExistDay(context.clock.now(), in: context.timeZone).advanced(by: 1 - days)
            .exclusiveStart(in: context.timeZone)
    }

    /// The facts of a device data point that a report shows. Both versions of the service's data points are converted
    /// to this type.
    struct Measurement {
        var source: String
        var type: String
        var value: String
        var units: String?
        var day: ExistDay?
    }

    func measurement(_ point: DeviceDataPoint) -> Measurement {
        Measurement(
            source: point.namespace.rawValue, type: point.type, value: point.value, units: point.units,
            day: (point.observationDate ?? point.startDate).map(day))
    }

    func measurement(_ point: DeviceDataPointV2) -> Measurement {
        Measurement(
            source: point.namespace.rawValue, type: point.type, value: point.value, units: point.units,
            day: point.day.flatMap { ExistDay($0) })
    }

    /// Returns the attributes to show, with a group for each source of data. Each numeric type of data is an attribute.
    /// If the type is an amount, such as steps, a day's value is the sum of its points. For any other type, such as a
    /// heart rate, it is the mean of the points.
    func groups(of points: [Measurement]) -> [WeeklyReport.Group] {
        Dictionary(grouping: points) { ExactText($0.source) }.sorted { $0.key < $1.key }.compactMap {
            source, points in
            let attributes = Dictionary(grouping: points) { ExactText($0.type) }.sorted { $0.key < $1.key }
                .compactMap { type, points in attribute(type.text, points) }
            return attributes.isEmpty
                ? nil : .init(name: source.text, label: MyDataHelpsWords.name(source.text), attributes: attributes)
        }
    }

    private func attribute(_ type: String, _ points: [Measurement]) -> WeeklyReport.Attribute? {
        let raw = points.lazy.compactMap(\.units).first { !$0.isEmpty }
        let unit = MyDataHelpsWords.unit(raw, of: type)
        let label = MyDataHelpsWords.name(type)
        let isRate = raw?.utf8.contains(UInt8(ascii: "/")) == true
        let isAmount = !isRate && WeeklyReport.Kind.decimal.isAmount(unit: unit, label: label)
        var values: [ExistDay: [Double]] = [:]
        for point in points {
            guard let day = point.day, let number = Double(decimal: point.value) else { continue }
            values[day, default: []].append(number)
        }
        func numbers(_ days: [ExistDay]) -> [Double?] {
            days.map { day in
                guard let numbers = values[day] else { return nil }
                let sum = numbers.reduce(0, +)
                guard sum.isFinite else { return nil }
                return isAmount ? sum : sum / Double(numbers.count)
            }
        }
        let week = numbers(report.days)
        guard week.contains(where: { $0 != nil }) else { return nil }
        let words = ValueText(
            ofMeasurement: (week + numbers(report.before)).compactMap(\.self), unit: unit)
        return WeeklyReport.Attribute(
            name: type, label: label, kind: words.kind, unit: words.unit, week: week, texts: nil,
            today: week.last ?? nil, soFar: report.isOpen && isAmount,
            summary: .init(words.kind, report.isOpen ? week.dropLast() : week[...], before: numbers(report.before)))
    }
}

extension ExistDay {
    /// The last moment before a day. MyDataHelps has a resolution of milliseconds.
    func exclusiveStart(in zone: TimeZone) -> Date { date(in: zone).addingTimeInterval(-0.001) }
}
