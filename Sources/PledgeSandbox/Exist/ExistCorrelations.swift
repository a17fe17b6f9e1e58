import Foundation

/// A snapshot of the records on a day. The correlations and insights are computed from it when they are first needed.
final class ExistStatistics: Sendable {
    let records: ExistRecords
    let today: CalendarDay
    // The results are computed while the lock is held. So concurrent callers wait for one computation instead of
    // repeating it.
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

    /// The date of the latest averages and correlations, which is the latest Sunday. They cover the days before that day.
    var sunday: CalendarDay { today - today.weekday }

    func number(_ attribute: ExistAttribute, _ day: CalendarDay) -> Double? {
        records.value(of: attribute, on: day, today: today).double
    }

    /// Returns the values of an attribute on a range of days. The range must be within the days from ``firstDay`` to
    /// ``today``.
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

/// The medians of an attribute's values over sixty days. Exist calls them averages.
struct ExistAverage {
    private static let days = 60

    let attribute: ExistAttribute
    let date: CalendarDay
    /// The values of the sixty days before `date`.
    private let numbers: [Double?]

    /// Returns the averages of the latest Sunday. If `historical` is true, also returns those of the earlier Sundays
    /// that have sixty days of data before them, newest first.
    static func all(in statistics: ExistStatistics, of attributes: [ExistAttribute], historical: Bool) -> [ExistAverage]
    {
        var averages: [ExistAverage] = []
        var date = statistics.sunday
        repeat {
            for attribute in attributes where attribute.valueType.isNumeric {
                let numbers = statistics.numbers(attribute, from: date - days, through: date - 1)
                guard numbers.contains(where: { $0 != nil }) else { continue }
                averages.append(ExistAverage(attribute: attribute, date: date, numbers: numbers))
            }
            date = date - 7
        } while historical && date - days >= statistics.firstDay
        return averages
    }

    var json: ServerJSON {
        var members: [String: ServerJSON] = [
            "user_attribute": .string(attribute.name), "date": .string(date.text), "overall": Self.median(numbers),
        ]
        let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
        for (weekday, name) in names.enumerated() {
            let first = (weekday - (date - Self.days).weekday + 7) % 7
            members[name] = Self.median(stride(from: first, to: numbers.count, by: 7).map { numbers[$0] })
        }
        return .object(members)
    }

    /// Returns the median of the numbers; null if there are no numbers. If their count is even, the median is the mean
    /// of the two numbers in the middle.
    private static func median(_ numbers: [Double?]) -> ServerJSON {
        let sorted = numbers.compactMap { $0 }.sorted()
        guard !sorted.isEmpty else { return .null }
        let middle = sorted.count / 2
        return .number(sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle])
    }
}

struct ExistCorrelation: Sendable {
    let outcome: ExistAttribute
    let driver: ExistAttribute
    /// The offset in days. It is 0 if both values are of the same day, and −1 if the driver's value is of the day
    /// before.
    let offset: Int
    let strength: Double
    let p: Double
    let date: CalendarDay
    let period: Int

    /// The confidence, from 1 (the correlation may be chance) to 5 (it is almost certainly not chance).
    var stars: Int { [0.0001, 0.001, 0.01, 0.05].firstIndex { p < $0 }.map { 5 - $0 } ?? 1 }

    var isStrong: Bool { abs(strength) >= 0.3 }

    var json: ServerJSON {
        let wording = ExistWording.of(outcome)
        let elements = [
            strength < 0 ? wording.less : wording.more, offset == 0 ? "when" : "on days after",
            ExistWording.of(driver).more,
        ]
        return [
            "date": .string(date.text), "period": .integer(period), "offset": .integer(offset),
            "attribute": .string(outcome.name), "attribute2": .string(driver.name),
            "value": .number(strength), "p": .number(p), "percentage": .number(abs(strength) * 100),
            "stars": .integer(stars), "stars_description": .string(starsDescription),
            "second_person": .string(elements.joined(separator: " ") + "."),
            "second_person_elements": .array(elements.map(ServerJSON.string)),
            "attribute_category": nil, "strength_description": .string(strengthDescription),
            "description": nil, "occurrence": nil, "rating": Self.ratings[[outcome.name, driver.name]] ?? nil,
        ]
    }

    private var strengthDescription: String {
        switch abs(strength) {
        case 0.6...: "Often go together"
        case 0.3...: "Sometimes go together"
        default: "Rarely go together"
        }
    }

    private var starsDescription: String {
        [
            "Might be unrelated", "Could be related", "Likely to be related", "Very likely to be related",
            "Certain to be related",
        ][stars - 1]
    }

    private static let ratings: [[String]: ServerJSON] = [
        ["mood", "guitar"]: ["positive": true, "rating_type": 50, "rating": "Useful"],
        ["sleep_start", "late_to_sleep"]: ["positive": false, "rating_type": 10, "rating": "Too obvious"],
        ["steps", "workouts_min"]: ["positive": false, "rating_type": 10, "rating": "Too obvious"],
    ]
}

extension ExistCorrelation {
    /// The names of the attributes that can be the outcome of a correlation. All other attributes are compared with
    /// them.
    private static let outcomes = [
        "mood", "energy_level", "stress_level", "sleep", "sleep_deep", "sleep_start", "heartrate_resting",
        "heartrate_variability", "productive_min", "steps", "pages_read",
    ]

    private static func rank(_ attribute: ExistAttribute) -> Int {
        outcomes.firstIndex(of: attribute.name) ?? outcomes.count
    }

    static func all(in statistics: ExistStatistics) -> [ExistCorrelation] {
        let last = statistics.sunday - 1
        let attributes = statistics.records.attributes.filter { $0.isActive && $0.valueType != .text }
        let series = attributes.map { attribute in
            statistics.numbers(attribute, from: statistics.firstDay, through: last).map { $0 ?? .nan }
        }
        var found: [ExistCorrelation] = []
        for (outcome, outcomeSeries) in zip(attributes, series) where rank(outcome) < outcomes.count {
            // Two attributes of the same group aren't compared, because they often measure the same thing. Any other
            // pair is compared in only one direction.
            for (driver, driverSeries) in zip(attributes, series)
            where driver.group != outcome.group && rank(outcome) < rank(driver) {
                let relations = [0, 1].compactMap { lag in
                    relation(of: outcomeSeries, to: driverSeries, lag: lag).map { (lag, $0) }
                }
                guard let (lag, relation) = relations.max(by: { abs($0.1.strength) < abs($1.1.strength) }),
                    relation.p < 0.1
                else { continue }
                found.append(
                    ExistCorrelation(
                        outcome: outcome, driver: driver, offset: -lag, strength: relation.strength, p: relation.p,
                        date: statistics.sunday, period: outcomeSeries.count))
            }
        }
        return found.sorted { abs($0.strength) > abs($1.strength) }
    }

    /// Correlates each number of `one` with the number of `other` that is `lag` days earlier. Returns Pearson's
    /// coefficient, and the probability that chance alone would produce at least this strength. Returns nil if there
    /// are fewer than 30 pairs, or if one of the series is constant.
    private static func relation(
        of one: [Double], to other: [Double], lag: Int
    ) -> (strength: Double, p: Double)? {
        var n = 0.0
        var sumX = 0.0
        var sumY = 0.0
        var sumXX = 0.0
        var sumYY = 0.0
        var sumXY = 0.0
        // This loops over indices, because `zip` is slow in debug builds: a third of a report's time would be spent in
        // `zip`.
        var index = lag
        while index < one.count {
            let x = one[index]
            let y = other[index - lag]
            index += 1
            // A missing value is stored as NaN.
            if x.isNaN || y.isNaN { continue }
            n += 1
            sumX += x
            sumY += y
            sumXX += x * x
            sumYY += y * y
            sumXY += x * y
        }
        let spread = (n * sumXX - sumX * sumX) * (n * sumYY - sumY * sumY)
        guard n >= 30, spread > 1e-9 else { return nil }
        let strength = min(1, max(-1, (n * sumXY - sumX * sumY) / spread.squareRoot()))
        // With at least 30 pairs, Student's t-distribution is close to the normal distribution, which is used here.
        let t = abs(strength) * ((n - 2) / max(1e-12, 1 - strength * strength)).squareRoot()
        return (strength, erfc(t / 2.0.squareRoot()))
    }
}
