import ExistKit
import Foundation
import Testing

@testable import PledgeCommand

@Suite("A report of Exist's data")
struct ExistReportTests {
    private let today = ExistDay("2026-11-22") ?? ExistDay(Date())

    private func report(
        _ attributes: [ExistKit.Attribute], averages: [Average] = [], correlations: [ExistKit.Correlation] = [],
        insights: [ExistKit.Insight] = [], user: User = User(username: "ada"), wish: ReportSpan.Choice = .latest(7)
    ) throws -> WeeklyReport {
        WeeklyReport(
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

    /// The only attribute of a report.
    private func shown(
        _ attribute: ExistKit.Attribute, averages: [Average] = [], wish: ReportSpan.Choice = .latest(7)
    ) throws -> WeeklyReport.Attribute {
        try #require(report([attribute], averages: averages, wish: wish).groups.first?.attributes.first)
    }

    @Test("compares each day with what is usual on its weekday, so that a usual week looks usual")
    func weekdays() throws {
        // On Saturdays, there are twice as many steps as on other days, as always.
        let usual = Average(
            attribute: "steps", day: today, overall: 6000, weekdays: [.saturday: 12_000, .sunday: 3000])
        let steps = attribute("steps", [0: .integer(100), 1: .integer(12_000), 2: .integer(6000)])
        let shown = try shown(steps, averages: [usual])
        #expect(shown.usual == [6000, 6000, 6000, 6000, 6000, 12_000, 3000])
        #expect(shown.usual[5] == shown.week[5])
    }

    @Test("compares past days with what was usual then, and not with what is usual now")
    func usualThen() throws {
        let averages = [(0, 9000.0), (14, 6000), (21, 5000)].map {
            Average(attribute: "steps", day: today.advanced(by: -$0.0), overall: $0.1)
        }
        func usual(_ last: Int) throws -> [Double?] {
            let steps = attribute("steps", [last: .integer(100)])
            return try shown(steps, averages: averages, wish: .between(nil, today.advanced(by: -last))).usual
        }
        #expect(try usual(0) == Array(repeating: 9000, count: 7))
        #expect(try usual(1) == Array(repeating: 6000, count: 7))
        #expect(try usual(14) == Array(repeating: 6000, count: 7))
        #expect(try usual(15) == Array(repeating: 5000, count: 7))
        #expect(try usual(22) == Array(repeating: nil, count: 7))
    }

    @Test("shows a day that is not over as “so far”, and includes it in no mean")
    func unfinished() throws {
        let values = Dictionary(
            uniqueKeysWithValues: (0..<14).map { ($0, AttributeValue.integer($0 == 0 ? 50 : $0 < 7 ? 700 : 300)) })
        let now = try shown(attribute("steps", values))
        #expect(now.soFar && now.today == 50)
        #expect(now.summary == .init(value: 700, before: 300))
        #expect(try !shown(attribute("steps", values), wish: .between(nil, today.advanced(by: -1))).soFar)
    }

    @Test("knows what does not grow during a day: sleep, ratings, weights, the weather")
    func finished() throws {
        let attributes = [
            attribute("sleep", [0: .integer(400)], .periodMin, group: "sleep"),
            attribute("mood", [0: .integer(7)], .scale, group: "mood"),
            attribute("weight", [0: .decimal(70)], .float, group: "health"),
            attribute("heartrate_resting", [0: .integer(57)], group: "health"),
            attribute("weather_temp_max", [0: .decimal(7)], .float, group: "weather"),
        ]
        let report = try report(attributes)
        #expect(report.groups.flatMap(\.attributes).allSatisfy { !$0.soFar })
        // What people look for first comes first.
        #expect(report.groups.map(\.name) == ["mood", "sleep", "health", "weather"])
    }

    @Test("counts the days of a tag, including today, on which it can only be set")
    func tags() throws {
        let days = [0: 1, 1: 1, 2: 0, 3: 1, 8: 1, 9: 0].mapValues { AttributeValue.integer($0) }
        let tag = attribute("tea", days, .boolean, group: "custom")
        #expect(try shown(tag).summary == .init(value: 3, before: 1))
    }

    @Test("compares with the days before only if at least half of them are known")
    func begunAmidTheDaysBefore() throws {
        func before(_ known: Int, _ type: ValueType) throws -> Double? {
            let values = (1..<8 + known).map { ($0, AttributeValue.integer(1)) }
            let attribute = attribute("tea", Dictionary(uniqueKeysWithValues: values), type)
            return try shown(attribute, wish: .between(nil, today.advanced(by: -1))).summary?.before
        }
        #expect(try before(4, .boolean) == 4 && before(4, .int) == 1)
        #expect(try before(3, .boolean) == nil && before(3, .int) == nil)
    }

    @Test("lists insights in the order of the days they are about")
    func order() throws {
        func insight(_ text: String, _ day: Int?, made: TimeInterval) -> ExistKit.Insight {
            ExistKit.Insight(
                created: Date(timeIntervalSince1970: made), targetDay: day.map { today.advanced(by: -$0) },
                type: InsightType(name: "any"), text: text)
        }
        let report = try report(
            [],
            insights: [
                insight("made last, about long ago", 5, made: 900), insight("about no day", nil, made: 950),
                insight("about yesterday", 1, made: 100), insight("about yesterday, later", 1, made: 200),
            ])
        #expect(
            report.insights.map(\.text) == [
                "about yesterday, later", "about yesterday", "made last, about long ago", "about no day",
            ])
    }

    @Test("uses the labels of attributes, even within the service's sentences")
    func labels() throws {
        let late = ExistKit.Attribute(
            name: "late_to_sleep", label: "Late to sleep", group: AttributeGroup(name: "custom"), valueType: .boolean)
        let correlation = ExistKit.Correlation(
            day: today, attribute: "mood", attribute2: "late_to_sleep", value: -0.62, stars: 4,
            secondPerson: "you have a worse day when you tag 'late_to_sleep' more.")
        let said = try report([late], correlations: [correlation]).correlations[0]
        #expect(said.sentence == "You have a worse day when you tag “Late to sleep” more.")
        #expect(said.strength == "Strong: when one rises, the other falls (−0.62). Exist is sure (4 of 5).")
        let bare = ExistKit.Correlation(day: today, attribute: "mood", attribute2: "late_to_sleep", value: 0.2)
        #expect(
            try report([late], correlations: [bare]).correlations[0].sentence
                == "“mood” and “Late to sleep”: they rise and fall together.")
        let nearly = ExistKit.Correlation(day: today, attribute: "mood", attribute2: "tea", value: 0.2996)
        #expect(try report([], correlations: [nearly]).correlations[0].strength.hasPrefix("Moderate: they rise"))
        #expect(Labels([late]).naming("It's 'late_to_sleep', isn't it?") == "It's “Late to sleep”, isn't it?")
    }

    @Test("uses one system of units: no inches of rain among kilometers, and vice versa")
    func units() throws {
        let rain = attribute("weather_precipitation", [0: .decimal(0.5)], .float, group: "weather")
        let walk = attribute("steps_distance", [0: .decimal(1.609344)], .float)
        let metric = try report([rain, walk]).groups.flatMap(\.attributes)
        #expect(metric.map(\.unit).sorted { $0 ?? "" < $1 ?? "" } == ["km", "mm/h"])
        let imperial = try report([rain, walk], user: User(username: "ada", imperialDistance: true)).groups
            .flatMap(\.attributes)
        #expect(imperial.map(\.unit).sorted { $0 ?? "" < $1 ?? "" } == ["in/h", "mi"])
        #expect(imperial.contains { $0.unit == "mi" && abs(($0.today ?? 0) - 1) < 0.000_1 })
    }
}
