import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

extension Account<ParticipantSession> {
    /// Returns the report of `pledge report --mydatahelps`. The participant is requested first. After that, all other
    /// data is requested concurrently.
    func report(_ choice: ReportSpan.Choice, _ zone: TimeZone, _ now: Date) throws -> Report {
        let span = ParticipantSpan(try ReportSpan(choice, today: ExistDay(now, in: zone)), in: zone)
        let points = ParticipantSpan.namespaces.map { namespace in
            DeviceDataQuery(namespace: namespace, observedAfter: span.startBefore, observedBefore: span.end)
        }
        let (session, owner) = client.ofOneOwner()
        let participant = try owner().wait()
        let who = participant.demographics
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
                .compactMap { type, points in attribute(type.text, points) }
            return attributes.isEmpty
                ? nil : .init(name: source.text, label: MyDataHelpsWords.name(source.text), attributes: attributes)
        }
    }

    private func attribute(_ type: String, _ points: [Measurement]) -> Report.Attribute? {
        let raw = points.lazy.compactMap(\.units).first { !$0.isEmpty }
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

/// Readable words for the identifiers that MyDataHelps uses. An identifier that isn't in the tables is split into
/// words, or left unchanged.
enum MyDataHelpsWords {
    /// Returns the name of a type of data or of a survey question, such as `Resting heart rate` for `RestingHeartRate`
    /// and `Energy` for `EnergyStep`.
    static func name(_ word: String) -> String {
        if let known = names[ExactText(word)] { return known }
        let parts = words(word)
        guard parts.count > 1 else { return word }
        // The last word only says that the identifier names a survey's step or its result. It isn't part of the
        // question.
        let kept = parts.last == "step" || parts.last == "result" ? parts.dropLast() : parts[...]
        return kept.joined(separator: " ").capitalizedSentence
    }

    /// Returns the text of a state, such as `done` for `complete` and `missing contact info` for `MissingContactInfo`.
    static func state(_ word: String) -> String {
        states[ExactText(word)] ?? words(word).joined(separator: " ")
    }

    /// Returns the unit to show, such as `/min` for `count/min`, or `bpm` if the type is a heart rate. Returns nil for
    /// a plain count.
    static func unit(_ unit: String?, of type: String) -> String? {
        guard let unit, !unit.isEmpty else { return nil }
        let isPulse =
            ExactText(unit) == ExactText("count/min") && words(type).joined(separator: " ").contains("heart rate")
        if isPulse { return "bpm" }
        guard let known = units[ExactText(unit)] else { return unit }
        return known.isEmpty ? nil : known
    }

    private static let names = table([
        "AppleHealth": "Apple Health", "GoogleFit": "Google Fit", "GoogleHealth": "Google Health",
        "HealthConnect": "Health Connect", "steps-daily": "Steps", "distance-daily": "Distance",
        "floors-daily": "Floors",
        "dailyRestingHeartRate-list-beatsPerMinute": "Resting heart rate", "sleep-list-session-asleep": "Time asleep",
        "AirNowApi": "AirNow", "WeatherBit": "Weatherbit",
        "SleepMinutes": "Time asleep", "BloodPressureSystolic": "Blood pressure, systolic",
        "BloodPressureDiastolic": "Blood pressure, diastolic",
        "HeartRateVariabilitySDNN": "Heart rate variability",
    ])

    private static let states = table([
        "incomplete": "to do", "complete": "done", "closed": "closed",
        "fetchComplete": "up to date", "fetchingData": "being fetched",
        "error": "has a problem", "unauthorized": "to be connected again",
        "Sms": "SMS", "Succeeded": "sent",
    ])

    private static let units = table([
        "count": "", "count/min": "/min", "degC": "°C", "degF": "°F",
        "mL": "ml", "L": "l", "Cal": "kcal", "kCal": "kcal",
        "percent": "%", "minutes": "min", "hr": "h",
    ])

    private static func table(_ pairs: [String: String]) -> [ExactText: String] {
        Dictionary(pairs.map { (ExactText($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the words of an identifier in camel case or with separators. They are in lowercase, except for acronyms.
    private static func words(_ name: String) -> [String] {
        // Identifiers are short and in ASCII. Any other text was written by a person, and stays as it is.
        guard name.utf8.count <= 80, name.utf8.allSatisfy({ $0 < 0x80 && $0 > 0x20 }) else { return [name] }
        let separated = String(name.map { "-.".contains($0) ? "_" : $0 })
        var rest = separated.filter { $0 != "_" }[...]
        return SnakeCase.name(of: separated).split(separator: "_").map { word in
            let original = rest.prefix(word.count)
            rest.removeFirst(word.count)
            let isAcronym = word.count > 1 && original.allSatisfy { $0.isUppercase || $0.isNumber }
            return String(isAcronym ? original : word)
        }
    }
}
