import ExistKit

/// The days a report is about.
struct ReportSpan: Equatable {
    /// Oldest first; at least one.
    let days: [ExistDay]
    /// Whether the last of them is today.
    let endsToday: Bool

    static let longest = 31

    /// As many days before them.
    var before: [ExistDay] { days.map { $0.advanced(by: -days.count) } }

    /// Which days were asked for; days to come are left out.
    enum Wish: Equatable {
        /// So many, the last of which is today.
        case latest(Int)
        case between(ExistDay?, ExistDay?)
    }

    init(_ wish: Wish, today: ExistDay) throws {
        let (first, last): (ExistDay, ExistDay)
        switch wish {
        case .latest(let count): (first, last) = (today.advanced(by: 1 - count), today)
        case .between(let from, let to):
            last = min(to ?? today, today)
            first = from ?? last.advanced(by: -6)
        }
        guard first <= last else { throw UsageError("\(first) has not come yet: today is \(today).") }
        try Self.checkLength(first, last)
        days = (0...first.distance(to: last)).map { first.advanced(by: $0) }
        endsToday = last == today
    }

    static func checkLength(_ first: ExistDay, _ last: ExistDay) throws {
        guard first.distance(to: last) >= longest else { return }
        throw UsageError(
            "A report shows \(longest) days at most: “pledge attributes --days” and “pledge export” have more.")
    }

    /// The Monday of a week such as `2026-W40`, as ISO 8601 counts them; nil if there is no such week.
    static func monday(ofWeek text: String) -> ExistDay? {
        let parts = text.uppercased().split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 4, parts[1].first == "W", parts[1].count == 3,
            let year = Int(parts[0]), let week = Int(parts[1].dropFirst()), week >= 1,
            // 4 January is always in the first week.
            let fourth = ExistDay(year: year, month: 1, day: 4),
            let place = ExistDay.Weekday.allCases.firstIndex(of: fourth.weekday)
        else { return nil }
        let monday = fourth.advanced(by: 7 * (week - 1) - place)
        // A week belongs to the year of its Thursday.
        return monday.advanced(by: 3).year == year ? monday : nil
    }
}
