import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

extension Account<ParticipantSession> {
    /// Returns the report of `pledge report --mydatahelps`. The participant is requested first. After that, all other
    /// data is requested concurrently.
    func report(_ choice: ReportSpan.Choice, _ zone: TimeZone, _ now: Date) throws -> Report {
        let (session, owner) = client.ofOneOwner()
        let participant = try owner().wait()
        let who = participant.demographics
        let zone = who.timeZone.flatMap { TimeZone(ofService: $0) } ?? zone
        let span = ParticipantSpan(try ReportSpan(choice, today: ExistDay(now, in: zone)), in: zone)
        let points = ParticipantSpan.namespaces.map { namespace in
            DeviceDataQuery(namespace: namespace, observedAfter: span.startBefore, observedBefore: span.end)
        }
        return try when(
            fulfilled: when(fulfilled: points.map { session.pages($0).items() }),
            session.pages(SurveyTaskQuery(statuses: [.incomplete])).items(),
            session.querySurveyAnswers(SurveyAnswersQuery(after: span.start, before: span.end)),
            session.listExternalAccounts()
        ).map { points, tasks, answers, accounts in
            Report(
                person: fullName(who.firstName, who.lastName) ?? participant.participantIdentifier,
                points: points.joined().map(span.measurement), tasks: tasks, answers: answers.surveyAnswers,
                accounts: accounts,
                span: span, source: source, demo: isDemo, warnings: warnings.all)
        }.wait()
    }
}

extension Report {
    init(
        person: String, points: [ParticipantSpan.Measurement], tasks: [SurveyTask], answers: [SurveyAnswer],
        accounts: [ExternalAccount], span: ParticipantSpan, source: String, demo: Bool, warnings: [String]
    ) {
        self.init(
            person: person, source: source, demo: demo, days: span.report.days, endsToday: span.report.endsToday,
            groups: span.groups(of: points), correlations: [], insights: [], warnings: warnings)
        func text(_ date: Date?) -> String {
            date.map { mark(span.day($0)) } ?? "any time"
        }
        lists = [
            List(
                title: "Tasks due", entries: tasks.map { .init(mark: text($0.dueDate), text: $0.surveyDisplayName) }),
            List(
                title: "Latest answers",
                entries: answers.prefix(10).map { answer in
                    let words = answer.answers.joined(separator: ", ")
                    let question = MyDataHelpsWords.name(answer.resultIdentifier)
                    return .init(mark: text(answer.date), text: "\(answer.surveyDisplayName), \(question): \(words)")
                }),
            List(
                title: "Connected accounts",
                entries: accounts.map {
                    .init(mark: MyDataHelpsWords.state($0.status.rawValue).capitalizedSentence, text: $0.provider.name)
                }),
        ].filter { !$0.entries.isEmpty }
    }
}

extension ParticipantSpan {
    /// Returns the measurements of both versions of device data. If both have points of a type on a day, only those of
    /// version 2 are returned, because both versions may have the same data, which must not be added up.
    static func joined(_ older: [Measurement], _ newer: [Measurement]) -> [Measurement] {
        func key(_ point: Measurement) -> HashKey { HashKey(point.source, point.type, and: point.day) }
        let known = Set(newer.map(key))
        return older.filter { !known.contains(key($0)) } + newer
    }

    /// The facts of a device data point that a report shows. Both versions of the service's data points are converted
    /// to this type.
    struct Measurement {
        var source: String
        var type: String
        var value: String
        var units: String?
        var day: ExistDay?
    }

    func measurement(_ point: DeviceDataPoint) -> Measurement {
        Measurement(
            source: point.namespace.rawValue, type: point.type, value: point.value, units: point.units,
            day: (point.observationDate ?? point.startDate).map(day))
    }

    func measurement(_ point: DeviceDataPointV2) -> Measurement {
        Measurement(
            source: point.namespace.rawValue, type: point.type, value: point.value, units: point.units,
            day: point.day.flatMap { ExistDay($0) })
    }

    /// Returns the attributes to show, with a group for each source of data. Each numeric type of data is an attribute.
    /// If the type is an amount, such as steps, a day's value is the sum of its points. For any other type, such as a
    /// heart rate, it is the mean of the points.
    func groups(of points: [Measurement]) -> [Report.Group] {
        Dictionary(grouping: points) { ExactText($0.source) }.sorted { $0.key < $1.key }.compactMap {
            source, points in
            let attributes = Dictionary(grouping: points) { ExactText($0.type) }.sorted { $0.key < $1.key }
                .flatMap { type, points in self.attributes(type.text, points) }
            return attributes.isEmpty
                ? nil : .init(name: source.text, label: MyDataHelpsWords.name(source.text), attributes: attributes)
        }
    }

    /// Returns an attribute for a type of data. If its points are in different units, returns one for each unit, because
    /// such numbers can't be added up.
    private func attributes(_ type: String, _ points: [Measurement]) -> [Report.Attribute] {
        let byUnit = Dictionary(grouping: points) { ExactText($0.units ?? "") }
        let units = byUnit.keys.filter { !$0.text.isEmpty }
        guard units.count > 1 else { return [attribute(type, points, in: units.first?.text)].compactMap(\.self) }
        return byUnit.sorted { $0.key < $1.key }.compactMap { unit, points in
            let raw = unit.text.isEmpty ? nil : unit.text
            var attribute = attribute(type, points, in: raw)
            if let raw {
                attribute?.name += " (\(raw))"
                attribute?.label += " (\(raw))"
            }
            return attribute
        }
    }

    private func attribute(_ type: String, _ points: [Measurement], in raw: String?) -> Report.Attribute? {
        let unit = MyDataHelpsWords.unit(raw, of: type)
        let label = MyDataHelpsWords.name(type)
        let isRate = raw?.utf8.contains(UInt8(ascii: "/")) == true
        let isAmount = !isRate && Report.Kind.decimal.isAmount(unit: unit, label: label)
        var values: [ExistDay: [Double]] = [:]
        for point in points {
            guard let day = point.day, let number = Double(decimal: point.value) else { continue }
            values[day, default: []].append(number)
        }
        func numbers(_ days: [ExistDay]) -> [Double?] {
            days.map { day in
                guard let numbers = values[day] else { return nil }
                let sum = numbers.reduce(0, +)
                guard sum.isFinite else { return nil }
                return isAmount ? sum : sum / Double(numbers.count)
            }
        }
        let week = numbers(report.days)
        guard week.contains(where: { $0 != nil }) else { return nil }
        let words = ValueText(
            ofMeasurement: (week + numbers(report.before)).compactMap(\.self), unit: unit)
        return Report.Attribute(
            name: type, label: label, kind: words.kind, unit: words.unit, week: week, texts: nil,
            today: week.last ?? nil, soFar: report.isOpen && isAmount,
            summary: .init(words.kind, report.isOpen ? week.dropLast() : week[...], before: numbers(report.before)))
    }
}
