import ExistKit

/// Days in words. The report already speaks of days in the person's own time zone, so naming them needs neither a clock
/// nor a locale, and the output is the same on every machine.
extension ExistDay {
    /// `Fri`
    var weekdayName: String { String(weekday.rawValue.capitalized.prefix(3)) }

    /// `November`
    var monthName: String { Self.monthNames[month - 1] }

    /// `Fri 20 Nov`
    var short: String { "\(weekdayName) \(day) \(monthName.prefix(3))" }

    /// `Fri 20 November`
    var long: String { "\(weekdayName) \(day) \(monthName)" }

    /// `Sat 14 – Fri 20 November`, naming month and year twice only where they change on the way.
    static func range(from first: ExistDay, to last: ExistDay, withYear: Bool = false) -> String {
        if first == last { return withYear ? "\(last.long) \(last.year)" : last.long }
        if first.year != last.year { return "\(first.long) \(first.year) – \(last.long) \(last.year)" }
        let start = first.month == last.month ? "\(first.weekdayName) \(first.day)" : first.long
        return withYear ? "\(start) – \(last.long) \(last.year)" : "\(start) – \(last.long)"
    }

    private static let monthNames = [
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ]
}
