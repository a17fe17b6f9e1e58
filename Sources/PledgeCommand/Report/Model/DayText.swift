import ExistKit

/// Names and ranges of days as text. They use neither a clock nor a locale, so that the output is the same on every
/// machine.
extension ExistDay {
    var weekdayName: String { String(weekday.rawValue.capitalized.prefix(3)) }

    var monthName: String { Self.monthNames[month - 1] }

    var short: String { "\(weekdayName) \(day) \(monthName.prefix(3))" }

    var long: String { "\(weekdayName) \(day) \(monthName)" }

    /// Returns a range such as `Sat 14 – Fri 20 November`. The month and the year appear twice only if they differ.
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
