import ExistKit
import Foundation
import MyDataHelpsKit

/// `pledge report --mydatahelps`: a participant's days, requested concurrently.
struct ParticipantReport {
    var choice: ReportSpan.Choice
    var zone: TimeZone
    var now: Date

    func make(_ account: Account<ParticipantSession>) throws -> WeeklyReport {
        let span = ParticipantSpan(try ReportSpan(choice, today: ExistDay(now, in: zone)), in: zone)
        let session = account.client
        let data = session.deviceData(after: span.startBefore, before: span.end)
        return try when(
            fulfilled: session.getParticipantInfo(), data,
            session.pages(SurveyTaskQuery(statuses: [.incomplete])).items(),
            session.querySurveyAnswers(SurveyAnswersQuery(after: span.start, before: span.end)),
            session.listExternalAccounts()
        ).map { participant, points, tasks, answers, accounts in
            let who = participant.demographics
            return WeeklyReport(
                person: MyDataHelpsWords.fullName(who.firstName, who.lastName) ?? participant.participantIdentifier,
                points: points, tasks: tasks, answers: answers.surveyAnswers, accounts: accounts, span: span,
                source: account.source, demo: account.isDemo, warnings: account.warnings.all)
        }.wait()
    }
}

extension ParticipantSession {
    /// Fetches the device data between two times, from every source.
    func deviceData(after start: Date, before end: Date? = nil) -> Promise<[DeviceDataPoint]> {
        when(
            fulfilled: ParticipantSpan.namespaces.map { namespace in
                pages(DeviceDataQuery(namespace: namespace, observedAfter: start, observedBefore: end)).items()
            }
        ).map { $0.flatMap { $0 } }
    }
}

extension WeeklyReport {
    /// Creates a report of a participant: measurements of the span and of as many days before it, and lists.
    init(
        person: String, points: [DeviceDataPoint], tasks: [SurveyTask], answers: [SurveyAnswer],
        accounts: [ExternalAccount], span: ParticipantSpan, source: String, demo: Bool, warnings: [String]
    ) {
        self.init(
            person: person, source: source, demo: demo, days: span.report.days, endsToday: span.report.endsToday,
            groups: span.groups(of: points), correlations: [], insights: [], warnings: warnings)
        func mark(_ date: Date?) -> String {
            guard let date else { return "any time" }
            let day = span.day(date)
            let isNamed = endsToday && days.suffix(2).contains(day)
            return isNamed ? name(ofDay: day).capitalizedSentence : day.short
        }
        lists = [
            List(
                title: "Tasks due", entries: tasks.map { .init(mark: mark($0.dueDate), text: $0.surveyDisplayName) }),
            List(
                title: "Latest answers",
                entries: answers.prefix(10).map { answer in
                    let words = answer.answers.joined(separator: ", ")
                    let question = MyDataHelpsWords.name(answer.resultIdentifier)
                    return .init(mark: mark(answer.date), text: "\(answer.surveyDisplayName), \(question): \(words)")
                }),
            List(
                title: "Connected accounts",
                entries: accounts.map {
                    .init(mark: MyDataHelpsWords.state($0.status.rawValue).capitalizedSentence, text: $0.provider.name)
                }),
        ].filter { !$0.entries.isEmpty }
    }
}
