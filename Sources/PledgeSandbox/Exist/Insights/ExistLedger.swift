/// A snapshot of the records, with its day.
struct ExistLedger: Sendable {
    let records: ExistRecords
    let today: CalendarDay

    var firstDay: CalendarDay {
        today - (ExistDiary.length - 1)
    }

    /// The Sunday on which averages and correlations were last computed; they cover the days before it.
    var sunday: CalendarDay {
        today.latestSunday
    }

    func number(_ attribute: ExistAttribute, _ day: CalendarDay) -> Double? {
        records.value(of: attribute, on: day, today: today).double
    }

    func numbers(_ attribute: ExistAttribute, from first: CalendarDay, through last: CalendarDay) -> [Double?] {
        first <= last ? (first.number...last.number).map { number(attribute, CalendarDay(number: $0)) } : []
    }
}
