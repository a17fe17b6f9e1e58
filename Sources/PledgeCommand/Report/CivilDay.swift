/// A day of the Gregorian calendar, read from `yyyy-MM-dd`.
///
/// The report already speaks of days in the person's own time zone, so naming them needs neither a clock nor a locale:
/// doing the arithmetic here keeps the output the same on every machine.
struct CivilDay: Equatable {
    let year: Int
    let month: Int
    let day: Int

    /// Nil for anything that is not a day: wrong shape, month 13, 30 February.
    init?(_ text: String) {
        let fields = text.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.map(\.utf8.count) == [4, 2, 2],
            fields.allSatisfy({ $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }),
            let year = Int(fields[0]), let month = Int(fields[1]), let day = Int(fields[2]),
            1...12 ~= month, day >= 1, day <= Self.length(of: month, in: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// `Fri`
    var weekdayName: String { String(Self.weekdayNames[weekday].prefix(3)) }

    /// `F`
    var weekdayInitial: String { String(Self.weekdayNames[weekday].prefix(1)) }

    /// `November`
    var monthName: String { Self.monthNames[month - 1] }

    /// `Fri 20 Nov`
    var short: String { "\(weekdayName) \(day) \(monthName.prefix(3))" }

    /// `Fri 20 November`
    var long: String { "\(weekdayName) \(day) \(monthName)" }

    /// Days since 1 January of the year 0, which was a Saturday.
    private var ordinal: Int {
        let monthsBefore = (1..<month).reduce(0) { $0 + Self.length(of: $1, in: year) }
        let leapDaysBefore = year == 0 ? 0 : (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1
        return year * 365 + leapDaysBefore + monthsBefore + day - 1
    }

    /// 0 is Sunday.
    private var weekday: Int { (ordinal + 6) % 7 }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static let weekdayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    private static let monthNames = [
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ]
}

extension CivilDay {
    /// `Sat 14 – Fri 20 November`, naming month and year twice only where they change on the way.
    static func range(from first: CivilDay, to last: CivilDay, withYear: Bool = false) -> String {
        if first == last { return withYear ? "\(last.long) \(last.year)" : last.long }
        if first.year != last.year { return "\(first.long) \(first.year) – \(last.long) \(last.year)" }
        let start = first.month == last.month ? "\(first.weekdayName) \(first.day)" : first.long
        return withYear ? "\(start) – \(last.long) \(last.year)" : "\(start) – \(last.long)"
    }
}
