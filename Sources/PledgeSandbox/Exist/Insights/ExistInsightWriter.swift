/// Creates insights about notable values.
struct ExistInsightWriter {
    private let ledger: ExistLedger
    private var insights: [ExistInsight] = []

    private init(_ ledger: ExistLedger) { self.ledger = ledger }

    static func insights(in ledger: ExistLedger) -> [ExistInsight] {
        var writer = ExistInsightWriter(ledger)
        let records = ledger.records
        if let events = records["events"] { writer.writeToday(events) }
        for (name, superlative) in bests { records[name].map { writer.writeBests(of: $0, superlative: superlative) } }
        writer.writeDays(of: ["steps", "sleep", "mood"].compactMap { records[$0] })
        for attribute in ["steps", "sleep", "mood", "productive_min"].compactMap({ records[$0] }) {
            writer.writeWeeks(of: attribute)
            writer.writeMonths(of: attribute)
        }
        return writer.insights.sorted {
            ($0.createdDay, $0.createdSecond, $0.kind) > ($1.createdDay, $1.createdSecond, $1.kind)
        }
    }

    private static let bests = [
        ("steps", "Most steps"), ("sleep", "Longest night"), ("productive_min", "Most productive day"),
        ("pages_read", "Most pages read"), ("tracks", "Most music"), ("mood", "Best day"),
    ]

    private mutating func write(
        _ kind: String, _ span: ExistInsight.Span, days: Int = 1, about subjects: [ExistAttribute],
        on day: CalendarDay, _ headline: String, _ text: String
    ) {
        insights.append(
            ExistInsight(
                kind: kind, span: span, period: days, subjects: subjects, day: day, lines: [headline, text]))
    }

    private func numbers(_ attribute: ExistAttribute) -> [Double?] {
        ledger.numbers(attribute, from: ledger.firstDay, through: ledger.today - 1)
    }

    private func mean(_ attribute: ExistAttribute, from first: CalendarDay, through last: CalendarDay) -> Double? {
        let numbers = ledger.numbers(attribute, from: first, through: last).compactMap { $0 }
        return numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
    }
}

extension ExistInsightWriter {
    private mutating func writeToday(_ events: ExistAttribute) {
        guard let count = ledger.number(events, ledger.today) else { return }
        write(
            "events_today", .now, about: [events], on: ledger.today,
            "What's ahead", count == 1 ? "1 event today" : "\(Int(count)) events today")
    }

    /// Reports days that exceed all of the week before, or of a longer time.
    private mutating func writeBests(of attribute: ExistAttribute, superlative: String) {
        let numbers = numbers(attribute)
        for (index, number) in numbers.enumerated() {
            guard let number, number > 0 else { continue }
            let rival = numbers[..<index].lastIndex { $0.map { $0 >= number } ?? false } ?? 0
            guard index - rival > 7 else { continue }
            let day = ledger.firstDay + index
            write(
                "\(attribute.name)_best_since_x", .day, about: [attribute], on: day,
                "\(superlative) for \(index - rival) days & counting",
                "\(ExistAmount.text(number, of: attribute)) on \(day.weekdayName)")
        }
    }

    private mutating func writeDays(of subjects: [ExistAttribute]) {
        let series = subjects.map(numbers)
        for index in 0..<ExistDiary.length - 1 {
            let amounts = zip(subjects, series).compactMap { attribute, numbers in
                numbers[index].map { number in
                    let amount = ExistAmount.text(number, of: attribute)
                    return attribute.valueType == .quantity ? amount : "\(attribute.label.lowercased()) \(amount)"
                }
            }
            guard !amounts.isEmpty else { continue }
            write(
                "day_summary", .day, about: subjects, on: ledger.firstDay + index, "Yesterday's summary",
                amounts.joined(separator: ", "))
        }
    }

    private mutating func writeWeeks(of attribute: ExistAttribute) {
        var sunday = ledger.today.weekday == 0 ? ledger.today - 7 : ledger.sunday
        while sunday - 13 >= ledger.firstDay {
            let before = mean(attribute, from: sunday - 13, through: sunday - 7)
            if let mean = mean(attribute, from: sunday - 6, through: sunday), let before, before > 0 {
                let change = Int(((mean / before - 1) * 100).rounded())
                let comparison =
                    change < 0 ? "\(-change)% less than" : change > 0 ? "\(change)% more than" : "the same as"
                write(
                    "\(attribute.name)_week_summary", .week, days: 7, about: [attribute], on: sunday,
                    "Your week: \(attribute.label)",
                    "\(ExistAmount.text(mean, of: attribute)) on average, \(comparison) the week before")
            }
            sunday = sunday - 7
        }
    }

    private mutating func writeMonths(of attribute: ExistAttribute) {
        var last = ledger.today - ledger.today.civil.day
        while case let days = last.civil.day, last - (days - 1) >= ledger.firstDay {
            if let mean = mean(attribute, from: last - (days - 1), through: last) {
                write(
                    "\(attribute.name)_month_summary", .month, days: days, about: [attribute], on: last,
                    "Your month: \(attribute.label)", "\(ExistAmount.text(mean, of: attribute)) on average")
            }
            last = last - days
        }
    }
}
