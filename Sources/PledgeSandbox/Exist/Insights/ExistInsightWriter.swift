/// Creates insights from what stands out in the ledger.
struct ExistInsightWriter {
    private let ledger: ExistLedger
    private let attributes: [String: ExistAttribute]
    private var insights: [ExistInsight] = []

    /// Returns all insights of the year, newest first.
    static func insights(in ledger: ExistLedger) -> [ExistInsight] {
        var writer = ExistInsightWriter(ledger: ledger)
        writer.writeToday()
        for (name, superlative) in bests { writer.writeBests(of: name, superlative: superlative) }
        for (name, goal) in goals { writer.writeStreaks(of: name, goal: goal) }
        writer.writeDays()
        for name in summarised {
            writer.writeWeeks(of: name)
            writer.writeMonths(of: name)
        }
        return writer.insights.sorted { one, other in
            (one.createdDay, one.createdSecond, one.kind) > (other.createdDay, other.createdSecond, other.kind)
        }
    }

    private static let bests = [
        ("steps", "Most steps"), ("sleep", "Longest night"), ("productive_min", "Most productive day"),
        ("pages_read", "Most pages read"), ("tracks", "Most music"), ("mood", "Best day"),
    ]
    private static let goals: [(String, Double)] = [("steps", 8_000), ("sleep", 420), ("meditation_min", 10)]
    private static let summarised = ["steps", "sleep", "mood", "productive_min"]

    private init(ledger: ExistLedger) {
        self.ledger = ledger
        attributes = Dictionary(ledger.records.attributes.map { ($0.name, $0) }) { first, _ in first }
    }

    private func numbers(_ attribute: ExistAttribute) -> [Double?] {
        ledger.numbers(attribute, from: ledger.firstDay, through: ledger.today - 1)
    }
}

extension ExistInsightWriter {
    private mutating func writeToday() {
        guard let events = attributes["events"], let count = ledger.number(events, ledger.today) else { return }
        insights.append(
            ExistInsight(
                "events_today", .now, period: 1, about: events, on: ledger.today,
                lines: ["What's ahead", count == 1 ? "1 event today" : "\(Int(count)) events today"]))
    }

    /// Reports days that exceed all of the week before, and often of a much longer time.
    private mutating func writeBests(of name: String, superlative: String) {
        guard let attribute = attributes[name] else { return }
        let numbers = numbers(attribute)
        for (index, number) in numbers.enumerated() {
            guard let number, number > 0 else { continue }
            let rival = numbers[..<index].lastIndex { $0.map { $0 >= number } ?? false } ?? 0
            let distance = index - rival
            guard distance > 7 else { continue }
            let day = ledger.firstDay + index
            insights.append(
                ExistInsight(
                    "\(name)_best_since_x", .day, period: 1, about: attribute, on: day,
                    lines: [
                        "\(superlative) for \(distance) days & counting",
                        "\(ExistAmount.text(number, of: attribute)) on \(day.weekdayName)",
                    ]))
        }
    }

    /// Reports when a goal has been met on several days in a row.
    private mutating func writeStreaks(of name: String, goal: Double) {
        guard let attribute = attributes[name] else { return }
        var length = 0
        for (index, number) in numbers(attribute).enumerated() {
            length = number.map { $0 >= goal } ?? false ? length + 1 : 0
            guard length >= 3, [3, 5, 7].contains(length) || length.isMultiple(of: 10) else { continue }
            insights.append(
                ExistInsight(
                    "\(name)_streak", .day, period: 1, about: attribute, on: ledger.firstDay + index,
                    lines: [
                        "You've kept it up for \(length) days",
                        "\(attribute.label): at least \(ExistAmount.text(goal, of: attribute)) every day",
                    ]))
        }
    }

    private mutating func writeDays() {
        let subjects = ["steps", "sleep", "mood"].compactMap { attributes[$0] }
        let series = subjects.map(numbers)
        for index in 0..<ExistDiary.length - 1 {
            let amounts = zip(subjects, series).compactMap { attribute, numbers in
                numbers[index].map { number in
                    let amount = ExistAmount.text(number, of: attribute)
                    return attribute.valueType == .quantity ? amount : "\(attribute.label.lowercased()) \(amount)"
                }
            }
            guard !amounts.isEmpty else { continue }
            insights.append(
                ExistInsight(
                    "day_summary", .day, period: 1, about: nil, subjects: subjects, on: ledger.firstDay + index,
                    lines: ["Yesterday's summary", amounts.joined(separator: ", ")]))
        }
    }

    private mutating func writeWeeks(of name: String) {
        guard let attribute = attributes[name] else { return }
        var sunday = ledger.today.weekday == 0 ? ledger.today - 7 : ledger.sunday
        while sunday - 13 >= ledger.firstDay {
            let before = mean(attribute, from: sunday - 13, through: sunday - 7)
            if let mean = mean(attribute, from: sunday - 6, through: sunday), let before, before > 0 {
                let change = Int(((mean / before - 1) * 100).rounded())
                let comparison =
                    change < 0 ? "\(-change)% less than" : change > 0 ? "\(change)% more than" : "the same as"
                insights.append(
                    ExistInsight(
                        "\(name)_week_summary", .week, period: 7, about: attribute, on: sunday,
                        lines: [
                            "Your week: \(attribute.label)",
                            "\(ExistAmount.text(mean, of: attribute)) on average, \(comparison) the week before",
                        ]))
            }
            sunday = sunday - 7
        }
    }

    private mutating func writeMonths(of name: String) {
        guard let attribute = attributes[name] else { return }
        var last = ledger.today - ledger.today.civil.day
        while last - (last.civil.day - 1) >= ledger.firstDay {
            if let mean = mean(attribute, from: last - (last.civil.day - 1), through: last) {
                insights.append(
                    ExistInsight(
                        "\(name)_month_summary", .month, period: last.civil.day, about: attribute, on: last,
                        lines: [
                            "Your month: \(attribute.label)", "\(ExistAmount.text(mean, of: attribute)) on average",
                        ]))
            }
            last = last - last.civil.day
        }
    }

    private func mean(_ attribute: ExistAttribute, from first: CalendarDay, through last: CalendarDay) -> Double? {
        let numbers = ledger.numbers(attribute, from: first, through: last).compactMap { $0 }
        return numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
    }
}
