import ExistKit

struct ReportSpan: Equatable {
    /// The days, oldest first; never empty.
    let days: [ExistDay]
    let endsToday: Bool
    /// Whether the last day was incomplete when the data was read.
    let isOpen: Bool

    /// The maximum number of days from a service.
    static let longest = ExistAPI.windowLimit
    /// The maximum number of days from a database.
    static let longestStored = 36_525

    var last: ExistDay { days[days.count - 1] }

    /// The same number of days directly before the span.
    var before: [ExistDay] { days.map { $0.advanced(by: -days.count) } }

    enum Choice: Equatable {
        /// A number of days that end today or, for a database, on the day of its last sync.
        case latest(Int)
        case between(ExistDay?, ExistDay?)
        /// A week, month, or year, excluding future days.
        case period(ExistDay, ExistDay)

        /// The number of days; nil if it depends on the current day.
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

    /// - Parameter read: The day of a database's last sync, the latest with data; nil if a service is contacted now.
    init(_ choice: Choice, today: ExistDay, read: ExistDay? = nil) throws {
        let chosen = try choice.days(today: today, read: read)
        try Self.check(chosen.count, isStored: read != nil)
        days = Array(chosen)
        (endsToday, isOpen) = (chosen.upperBound == today, chosen.upperBound == read ?? today)
    }

    static func check(_ count: Int, isStored: Bool = false) throws {
        guard count > (isStored ? longestStored : longest) else { return }
        throw UsageError(
            isStored
                ? "A report shows \(longestStored) days at most."
                : "A report shows \(longest) days at most. For longer periods, create a database with “pledge "
                    + "sync”, and pass it with --database.")
    }

    /// Returns the first and the last day of a month such as `2026-10`; nil if it does not exist.
    static func month(_ text: String) -> (first: ExistDay, last: ExistDay)? {
        guard text.utf8.count == 7, let first = ExistDay(text + "-01") else { return nil }
        let next = ExistDay(
            year: first.month == 12 ? first.year + 1 : first.year, month: first.month % 12 + 1, day: 1)
        return next.map { (first, $0.advanced(by: -1)) }
    }

    /// Returns the first and the last day of a year such as `2026`; nil if it does not exist.
    static func year(_ text: String) -> (first: ExistDay, last: ExistDay)? {
        guard text.utf8.count == 4, let first = ExistDay(text + "-01-01"), let last = ExistDay(text + "-12-31")
        else { return nil }
        return (first, last)
    }

    /// Returns the Monday of an ISO 8601 week such as `2026-W40`; nil if it does not exist.
    static func monday(ofWeek text: String) -> ExistDay? {
        let parts = text.uppercased().split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].first == "W", parts[1].count == 3,
            parts[1].dropFirst().allSatisfy(\.isNumber), let week = Int(parts[1].dropFirst()), week >= 1,
            // January 4 is always in the first week.
            let fourth = ExistDay("\(parts[0])-01-04"),
            let index = ExistDay.Weekday.allCases.firstIndex(of: fourth.weekday)
        else { return nil }
        let monday = fourth.advanced(by: 7 * (week - 1) - index)
        // A week belongs to the year of its Thursday.
        return monday.advanced(by: 3).year == fourth.year ? monday : nil
    }
}
