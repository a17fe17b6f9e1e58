import ExistKit
import Foundation
import Testing

@testable import PledgeCommand

@Suite("A report of Exist's data")
struct ExistReportTests {
    /// The day on which the reports are made, a Sunday.
    private let today = "2026-11-22".asDay

    private func report(
        _ attributes: [ExistKit.Attribute], averages: [Average] = [], correlations: [ExistKit.Correlation] = [],
        insights: [ExistKit.Insight] = [], user: User = User(username: "ada"), wish: ReportSpan.Choice = .latest(7)
    ) throws -> Report {
        Report(
            user: user, attributes: attributes, averages: averages, correlations: correlations, insights: insights,
            span: try ReportSpan(wish, today: today), source: "a test", demo: false, warnings: [])
    }

    private func attribute(
        _ name: String, _ values: [Int: AttributeValue], _ type: ValueType = .int, group: String = "activity"
    ) -> ExistKit.Attribute {
        ExistKit.Attribute(
            name: name, label: name.capitalized, group: AttributeGroup(name: group), valueType: type,
            values: values.map { .init(day: today.advanced(by: -$0.key), value: $0.value) })
    }

    private func shown(
        _ attribute: ExistKit.Attribute, averages: [Average] = [], wish: ReportSpan.Choice = .latest(7)
    ) throws -> Report.Attribute {
        try #require(report([attribute], averages: averages, wish: wish).groups.first?.attributes.first)
    }

    @Test("Each day is compared with what was usual for its weekday at that time, not with what is usual now")
    func usual() throws {
        let averages = [(0, 9000.0, [:]), (14, 6000, [.saturday: 12_000, .sunday: 3000]), (21, 5000, [:])].map {
            Average(attribute: "steps", day: today.advanced(by: -$0.0), overall: $0.1, weekdays: $0.2)
        }
        for (last, usual) in [
            (0, Array(repeating: 9000, count: 7)), (1, [3000, 6000, 6000, 6000, 6000, 6000, 12_000]),
            (14, [6000, 6000, 6000, 6000, 6000, 12_000, 3000]), (15, Array(repeating: 5000, count: 7)),
            (22, Array(repeating: nil, count: 7)),
        ] as [(Int, [Double?])] {
            let steps = attribute("steps", [last: .integer(100)])
            let shown = try shown(steps, averages: averages, wish: .between(nil, today.advanced(by: -last)))
            #expect(shown.usual == usual, "\(last)")
        }
    }

    @Test("An unfinished day is shown as “so far”, and left out of every mean")
    func unfinished() throws {
        let values = Dictionary(
            uniqueKeysWithValues: (0..<14).map { ($0, AttributeValue.integer($0 == 0 ? 50 : $0 < 7 ? 700 : 300)) })
        let now = try shown(attribute("steps", values))
        #expect(now.soFar && now.today == 50 && now.summary == .init(value: 700, before: 300, standardError: 0))
        #expect(try !shown(attribute("steps", values), wish: .between(nil, today.advanced(by: -1))).soFar)
    }

    @Test("Values that don't grow during the day, such as sleep, ratings, and weights, are never “so far”")
    func finished() throws {
        let attributes: [(String, AttributeValue, ValueType, String)] = [
            ("sleep", .integer(400), .periodMin, "sleep"), ("mood", .integer(7), .scale, "mood"),
            ("weight", .decimal(70), .float, "health"), ("heartrate_resting", .integer(57), .int, "health"),
            ("weather_temp_max", .decimal(7), .float, "weather"),
        ]
        let report = try report(attributes.map { attribute($0, [0: $1], $2, group: $3) })
        #expect(report.groups.flatMap(\.attributes).allSatisfy { !$0.soFar })
        // The report begins with the groups that people look for first.
        #expect(report.groups.map(\.name) == ["mood", "sleep", "health", "weather"])
    }

    @Test("A tag's days are counted including today; the days before are compared if at least half of them are known")
    func begunAmidTheDaysBefore() throws {
        let days = [0: 1, 1: 1, 2: 0, 3: 1, 8: 1, 9: 0].mapValues { AttributeValue.integer($0) }
        #expect(try shown(attribute("tea", days, .boolean)).summary == .init(value: 3, before: 1))
        func before(_ known: Int, _ type: ValueType) throws -> Double? {
            let values = (1..<8 + known).map { ($0, AttributeValue.integer(1)) }
            let attribute = attribute("tea", Dictionary(uniqueKeysWithValues: values), type)
            return try shown(attribute, wish: .between(nil, today.advanced(by: -1))).summary?.before
        }
        #expect(try before(4, .boolean) == 4 && before(4, .int) == 1)
        #expect(try before(3, .boolean) == nil && before(3, .int) == nil)
    }

    @Test("Insights are listed by the day that they are about, newest first")
    func order() throws {
        let insights = [("made last", 5, 900), ("of no day", nil, 950), ("earlier", 1, 100), ("later", 1, 200)]
            .map { text, day, made in
                ExistKit.Insight(
                    created: Date(timeIntervalSince1970: made), targetDay: day.map { today.advanced(by: -$0) },
                    type: InsightType(name: "any"), text: text)
            }
        #expect(
            try report([], insights: insights).insights.map(\.text) == ["later", "earlier", "made last", "of no day"])
    }

    @Test("Sentences call attributes by their labels rather than their names, even sentences from the service")
    func labels() throws {
        let late = ExistKit.Attribute(
            name: "late_to_sleep", label: "Late to sleep", group: AttributeGroup(name: "custom"), valueType: .boolean)
        for (value, stars, text, sentence, strength) in [
            (
                -0.62, 4, "you have a worse day when you tag 'late_to_sleep' more.",
                "You have a worse day when you tag “Late to sleep” more.",
                "Strong: when one rises, the other falls (−0.62). Exist is sure (4 of 5)."
            ), (0.2996, nil, nil, "“mood” and “Late to sleep”: they rise and fall together.", "Moderate: they rise"),
        ] {
            let correlation = ExistKit.Correlation(
                day: today, attribute: "mood", attribute2: "late_to_sleep", value: value, stars: stars,
                secondPerson: text)
            let said = try report([late], correlations: [correlation]).correlations[0]
            #expect(said.sentence == sentence && said.strength.hasPrefix(strength))
        }
        #expect(Labels([late]).naming("It's 'late_to_sleep', isn't it?") == "It's “Late to sleep”, isn't it?")
    }

    @Test("A correlation's text says how strong it is, whether one value follows a day later, and how sure Exist is")
    func strengths() {
        for (value, stars, offset, words) in [
            (0.09, nil, nil, "Hardly any correlation: they rise and fall together (+0.09)."),
            (-0.1, 0, -1, "Weak: when one rises, the other falls, a day later (−0.10). Exist is very unsure (1 of 5)."),
            (0.3, 2, 0, "Moderate: they rise and fall together (+0.30). Exist is unsure (2 of 5)."),
            (0.5, 3, 1, "Strong: they rise and fall together (+0.50). Exist is fairly sure (3 of 5)."),
            (2, 6, nil, "Very strong: they rise and fall together (+2.00). Exist is very sure (5 of 5)."),
            (-2, 5, nil, "Very strong: when one rises, the other falls (−2.00). Exist is very sure (5 of 5)."),
        ] as [(Double, Int?, Int?, String)] {
            let said = Report.Correlation(
                ExistKit.Correlation(
                    day: today, attribute: "a", attribute2: "b", value: value, offset: offset, stars: stars),
                Labels([]))
            #expect(said.strength == words && said.stars == stars ?? 0)
            #expect(said.percentage == min(max(value, -1), 1) * 100)
        }
    }

    @Test("A report has one system of units: it never has inches of rain beside kilometers")
    func units() throws {
        let rain = attribute("weather_precipitation", [0: .decimal(0.5)], .float, group: "weather")
        let walk = attribute("steps_distance", [0: .decimal(1.609344)], .float)
        for (isImperial, units, distance) in [(false, ["km", "mm/h"], 1.609344), (true, ["mi", "in/h"], 1)] {
            let user = User(username: "ada", imperialDistance: isImperial)
            let shown = try report([rain, walk], user: user).groups.flatMap(\.attributes)
            #expect(shown.map(\.unit) == units && abs((shown[0].today ?? 0) - distance) < 0.000_1)
        }
    }

    @Test("Averages are made each Sunday, as medians of the sixty days before, overall and for each weekday")
    func medians() throws {
        for (day, made) in [(0, 0), (6, 0), (-1, -7)] {
            #expect(Average.dayMade(for: today.advanced(by: day)) == today.advanced(by: made))
        }
        let values: [Int: AttributeValue] = [
            0: .integer(999), 1: .integer(4), 8: .integer(10), 60: .decimal(1.5), 61: .integer(999),
        ]
        let average = try #require(Average(of: attribute("steps", values), on: today))
        #expect(average.day == today && average.overall == 4)
        #expect(average.saturday == 7 && average.monday == nil)
        #expect(average[today.advanced(by: -60).weekday] == 1.5)
    }

    @Test("Averages are made only of numbers, not of texts or tags, and only if there are values")
    func none() {
        for (type, values) in [
            (.string, [1: .text("rain")]), (.boolean, [1: .integer(1)]), (.int, [:]), (.int, [0: .integer(1)]),
            (.float, [1: .decimal(.nan)]),
        ] as [(ValueType, [Int: AttributeValue])] {
            #expect(Average(of: attribute("steps", values, type), on: today) == nil)
        }
    }
}
