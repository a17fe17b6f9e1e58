/// A snapshot of the records on a day, and the results computed from it, each at most once.
final class ExistLedger: Sendable {
    let records: ExistRecords
    let today: CalendarDay
    // Computed under the lock, so that concurrent callers wait for one computation instead of repeating it.
    private let results = Protected<(correlations: [ExistCorrelation]?, insights: [ExistInsight]?)>((nil, nil))
    private let years = Protected<[String: [Double?]]>([:])

    init(records: ExistRecords, today: CalendarDay) {
        self.records = records
        self.today = today
    }

    var correlations: [ExistCorrelation] {
        results.withLock { $0.correlations.filled { ExistCorrelation.all(in: self) } }
    }

    var insights: [ExistInsight] {
        results.withLock { $0.insights.filled { ExistInsightWriter.insights(in: self) } }
    }

    var firstDay: CalendarDay { today - (ExistDiary.length - 1) }

    /// The Sunday of the latest averages and correlations, which cover the days before it.
    var sunday: CalendarDay { today - today.weekday }

    func number(_ attribute: ExistAttribute, _ day: CalendarDay) -> Double? {
        records.value(of: attribute, on: day, today: today).double
    }

    /// Returns the numbers of days between the first one and today.
    func numbers(_ attribute: ExistAttribute, from first: CalendarDay, through last: CalendarDay) -> [Double?] {
        let year = years.withLock {
            $0[attribute.name].filled {
                (firstDay.number...today.number).map { number(attribute, CalendarDay(number: $0)) }
            }
        }
        return first <= last ? Array(year[first.number - firstDay.number...last.number - firstDay.number]) : []
    }
}

extension Optional {
    mutating func filled(_ make: () -> Wrapped) -> Wrapped {
        let value = self ?? make()
        self = value
        return value
    }
}
