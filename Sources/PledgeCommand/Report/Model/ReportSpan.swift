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

        func days(today: ExistDay, synced: ExistDay? = nil) throws -> ClosedRange<ExistDay> {
            let latest = synced ?? today
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
                    synced.map { "\(first) is not in the database, which was last synced on \($0)." }
                        ?? "\(first) is in the future: today is \(today).")
            }
            return first...last
        }
    }

    /// - Parameter synced: The day on which the database was last synced, which is the latest day with data. Nil if the
    ///   data is requested from a service now.
    init(_ choice: Choice, today: ExistDay, synced: ExistDay? = nil) throws {
        let chosen = try choice.days(today: today, synced: synced)
        try Self.check(chosen.count, isStored: synced != nil)
        days = Array(chosen)
        endsToday = chosen.upperBound == today
        isOpen = chosen.upperBound == synced ?? today
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
