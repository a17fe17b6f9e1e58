/// The correlations and insights, computed on demand and cached until the data or the day changes.
final class ExistConclusions: Sendable {
    private struct Kept {
        var today: CalendarDay
        var revision: Int
        var correlations: [ExistCorrelation]?
        var insights: [ExistInsight]?
    }

    private let kept = Locked<Kept?>(nil)

    func correlations(in ledger: ExistLedger) -> [ExistCorrelation] {
        value(\.correlations, in: ledger, make: ExistCorrelation.all)
    }

    func insights(in ledger: ExistLedger) -> [ExistInsight] {
        value(\.insights, in: ledger, make: ExistInsightWriter.insights)
    }

    /// Computes under the lock, so that concurrent callers wait for one computation instead of repeating it.
    private func value<Finding>(
        _ path: WritableKeyPath<Kept, [Finding]?>, in ledger: ExistLedger, make: (ExistLedger) -> [Finding]
    ) -> [Finding] {
        kept.withLock { kept in
            var current = Kept(today: ledger.today, revision: ledger.records.revision)
            if let old = kept, old.today == current.today, old.revision == current.revision { current = old }
            let value = current[keyPath: path] ?? make(ledger)
            current[keyPath: path] = value
            kept = current
            return value
        }
    }
}
