import ExistKit
import Foundation
import PledgeCoding

extension WeeklyReport {
    /// A report from what Exist told.
    init(
        user: User, attributes: [ExistKit.Attribute], averages: [Average], correlations: [ExistKit.Correlation],
        insights: [ExistKit.Insight], checkIn: CheckIn?, source: String, warnings: [String]
    ) {
        let today = user.today
        let week = (0..<7).map { today.advanced(by: $0 - 6) }
        let usual = Dictionary(
            averages.map { (ExactText($0.attribute), $0) }, uniquingKeysWith: { first, _ in first })

        let name = [user.firstName, user.lastName].filter { !$0.isEmpty }.joined(separator: " ")
        person = name.isEmpty ? user.username : name
        self.source = source
        days = week.map(\.description)
        self.checkIn = checkIn
        groups = Dictionary(grouping: attributes) { ExactText($0.group.name) }.values
            .compactMap { members in members.first.map { (group: $0.group, members: members) } }
            .sorted { ($0.group.priority, ExactText($0.group.name)) < ($1.group.priority, ExactText($1.group.name)) }
            .map { group, members in
                Group(
                    name: group.name, label: group.label,
                    attributes: members.sorted { ($0.priority, ExactText($0.name)) < ($1.priority, ExactText($1.name)) }
                        .map { Attribute($0, week: week, usual: usual[ExactText($0.name)], user: user) })
            }
        self.correlations = correlations.sorted { abs($0.value) > abs($1.value) }.prefix(8).map(Correlation.init)
        self.insights = insights.filter { !$0.text.isEmpty }.sorted { $0.created > $1.created }
            .map { Insight(day: $0.targetDay?.description, text: $0.text) }
        self.warnings =
            warnings
            + attributes.flatMap { attribute in
                attribute.unreadableValues.map { "Among the values of \(attribute.name), \($0)." }
            }
    }
}

extension User {
    /// Today, where the user is; by the service's clock if it has told the time.
    var today: ExistDay {
        ExistDay(localTime ?? Date(), in: timeZone ?? .current)
    }
}

extension WeeklyReport.Attribute {
    fileprivate init(_ attribute: ExistKit.Attribute, week: [ExistDay], usual: Average?, user: User) {
        let values = Dictionary(attribute.values.map { ($0.day, $0.value) }, uniquingKeysWith: { first, _ in first })
        let shown = DisplayUnit(attribute, for: user)
        let isText = attribute.valueType == .string
        name = attribute.name
        label = attribute.label
        kind = Kind(attribute.valueType)
        unit = shown.symbol
        self.week = isText ? [] : week.map { day in values[day].flatMap { $0?.double }.flatMap(shown.finite) }
        texts = isText ? week.map { day in values[day].flatMap { $0?.string } } : nil
        today = self.week.last ?? nil
        average = (week.last.flatMap { usual?[$0.weekday] } ?? usual?.overall).flatMap(shown.finite)
    }

    private typealias Kind = WeeklyReport.Kind
}

extension WeeklyReport.Kind {
    fileprivate init(_ type: ValueType) {
        switch type {
        case .int: self = .quantity
        case .float, .unknown: self = .decimal
        case .string: self = .text
        case .periodMin: self = .duration
        case .minFromMidnight, .minFromMidday: self = .timeOfDay
        case .percentage: self = .percentage
        case .boolean: self = .boolean
        case .scale: self = .scale
        }
    }
}

extension WeeklyReport.Correlation {
    fileprivate init(_ correlation: ExistKit.Correlation) {
        self.init(
            sentence: correlation.secondPerson ?? "\(correlation.attribute) goes with \(correlation.attribute2).",
            percentage: min(max(correlation.value, -1), 1) * 100, stars: correlation.stars ?? 0,
            strength: correlation.strengthDescription ?? "",
            attributes: [correlation.attribute, correlation.attribute2])
    }
}
