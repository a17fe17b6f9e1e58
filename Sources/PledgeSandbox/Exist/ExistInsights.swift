import Foundation

struct ExistInsight: Sendable {
    /// The time that an insight is about. The raw value is the priority of the insight.
    enum Span: Int, Sendable {
        case now = 1
        case day, week, month
    }

    let kind: String
    let span: Span
    let period: Int
    /// The attributes that the insight mentions. A token gets the insight only if it can read all of them. The response
    /// has a member `attribute` only if the insight mentions a single attribute.
    let subjects: [ExistAttribute]
    /// The last day of the time that the insight is about.
    let day: CalendarDay
    let lines: [String]

    /// The day that lists show for the insight; nil if it is about a week or month.
    var targetDay: CalendarDay? { span == .week || span == .month ? nil : day }

    /// The day on which the insight is created. This is `day` if the insight is about the current day, and the day
    /// after `day` otherwise.
    var createdDay: CalendarDay { span == .now ? day : day + 1 }

    /// The time of day at which the insight is created, in seconds after midnight. It is between 5:00 and 6:30.
    var createdSecond: Int {
        let salt = kind.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        return 18_000 + Int(DayNoise.uniform(.insight, day.number &* 65_536 &+ salt) * 5_400)
    }

    func created(_ clock: ExistClock) -> Date { clock.instant(createdDay, secondOfDay: createdSecond) }

    func json(clock: ExistClock) -> ServerJSON {
        [
            "created": .string(clock.timestamp(created(clock), digits: 0)),
            "target_date": targetDay.map { .string($0.text) } ?? .null,
            "type": [
                "name": .string(kind), "period": .integer(period), "priority": .integer(span.rawValue),
                "attribute": subjects.count == 1 ? .object(subjects[0].summary) : nil,
            ],
            "html": .string(html), "text": .string(lines.joined(separator: "\r\n")),
        ]
    }

    private var html: String {
        zip(["secondary", "num-label"], lines)
            .map { "<div class=\"\($0)\">\(Self.escaped($1))</div>" }
            .joined(separator: "\r\n")
    }

    private static func escaped(_ text: String) -> String {
        let entities: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#x27;"]
        return text.map { entities[$0] ?? String($0) }.joined()
    }
}

/// Creates insights about notable values in the data.
struct ExistInsightWriter {
    private let statistics: ExistStatistics
    private var insights: [ExistInsight] = []

    private init(_ statistics: ExistStatistics) { self.statistics = statistics }

    static func insights(in statistics: ExistStatistics) -> [ExistInsight] {
        var writer = ExistInsightWriter(statistics)
        let records = statistics.records
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
        statistics.numbers(attribute, from: statistics.firstDay, through: statistics.today - 1)
    }

    private func mean(_ attribute: ExistAttribute, from first: CalendarDay, through last: CalendarDay) -> Double? {
        let numbers = statistics.numbers(attribute, from: first, through: last).compactMap { $0 }
        return numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
    }
}

extension ExistInsightWriter {
    private mutating func writeToday(_ events: ExistAttribute) {
        guard let count = statistics.number(events, statistics.today) else { return }
        write(
            "events_today", .now, about: [events], on: statistics.today,
            "What's ahead", count == 1 ? "1 event today" : "\(Int(count)) events today")
    }

    /// Creates an insight for each day whose value is higher than the values of the seven days before it.
    private mutating func writeBests(of attribute: ExistAttribute, superlative: String) {
        let numbers = numbers(attribute)
        for (index, number) in numbers.enumerated() {
            guard let number, number > 0 else { continue }
            let rival = numbers[..<index].lastIndex { $0.map { $0 >= number } ?? false } ?? 0
            guard index - rival > 7 else { continue }
            let day = statistics.firstDay + index
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
                "day_summary", .day, about: subjects, on: statistics.firstDay + index, "Yesterday's summary",
                amounts.joined(separator: ", "))
        }
    }

    private mutating func writeWeeks(of attribute: ExistAttribute) {
        var sunday = statistics.today.weekday == 0 ? statistics.today - 7 : statistics.sunday
        while sunday - 13 >= statistics.firstDay {
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
        var last = statistics.today - statistics.today.civil.day
        while case let days = last.civil.day, last - (days - 1) >= statistics.firstDay {
            if let mean = mean(attribute, from: last - (days - 1), through: last) {
                write(
                    "\(attribute.name)_month_summary", .month, days: days, about: [attribute], on: last,
                    "Your month: \(attribute.label)", "\(ExistAmount.text(mean, of: attribute)) on average")
            }
            last = last - days
        }
    }
}

/// Phrases about an attribute, such as "you walk more" and "you walk less".
enum ExistWording {
    static func of(_ attribute: ExistAttribute) -> (more: String, less: String) {
        if attribute.valueType == .boolean {
            return ("you tag '\(attribute.name)' more", "you tag '\(attribute.name)' less")
        }
        let label = attribute.label.lowercased()
        return known[attribute.name] ?? ("you have more \(label)", "you have less \(label)")
    }

    private static let known = [
        "steps": ("you walk more", "you walk less"),
        "productive_min": ("you are productive for longer", "you are productive for less time"),
        "mood": ("you have a better day", "you have a worse day"),
        "energy_level": ("you have more energy", "you have less energy"),
        "stress_level": ("you are more stressed", "you are less stressed"),
        "sleep": ("you sleep longer", "you sleep less"),
        "sleep_start": ("you go to bed later", "you go to bed earlier"),
        "sleep_end": ("you get up later", "you get up earlier"),
        "coffees": ("you drink more coffee", "you drink less coffee"),
        "alcoholic_drinks": ("you drink more alcohol", "you drink less alcohol"),
        "heartrate_resting": ("your resting heart rate is higher", "your resting heart rate is lower"),
        "heartrate_variability": ("your heart rate varies more", "your heart rate varies less"),
        "weather_temp_max": ("it is warmer", "it is colder"),
        "weather_temp_min": ("the night is warmer", "the night is colder"),
    ]
}

/// Formats the numbers in insights, such as "12,044 steps", "7 h 20 min", and "6.5 out of 9".
enum ExistAmount {
    static func text(_ number: Double, of attribute: ExistAttribute) -> String {
        switch attribute.valueType {
        case .duration: duration(Int(number.rounded()))
        case .scale: formatted(number, digits: 1) + " out of 9"
        default: formatted(number, digits: 0) + " \(attribute.label.lowercased())"
        }
    }

    private static func duration(_ minutes: Int) -> String {
        let hours = minutes / 60
        let rest = minutes % 60
        if hours == 0 { return "\(rest) min" }
        return rest == 0 ? "\(hours) h" : "\(hours) h \(rest) min"
    }

    private static func formatted(_ number: Double, digits: Int) -> String {
        number.formatted(
            .number.locale(Locale(identifier: "en_US")).precision(.fractionLength(0...digits))
                .rounded(rule: .toNearestOrAwayFromZero))
    }
}
