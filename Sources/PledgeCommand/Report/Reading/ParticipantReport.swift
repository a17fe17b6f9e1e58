import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

extension Account<ParticipantSession> {
    /// Returns the report of `pledge report --mydatahelps`. The participant is requested first. After that, all other
    /// data is requested concurrently.
    func report(_ choice: ReportSpan.Choice, _ zone: TimeZone, _ now: Date) throws -> WeeklyReport {
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
            WeeklyReport(
                person: MyDataHelpsWords.fullName(who.firstName, who.lastName) ?? participant.participantIdentifier,
                points: points.joined().map(span.measurement), tasks: tasks, answers: answers.surveyAnswers,
                accounts: accounts,
                span: span, source: source, demo: isDemo, warnings: warnings.all)
        }.wait()
    }
}

extension WeeklyReport {
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

    /// Returns a person's names joined with spaces, or nil if all of them are missing or empty.
    static func fullName(_ parts: String?...) -> String? {
        let name = parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
        return name.isEmpty ? nil : name
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
