import ExistKit
import Foundation
import MyDataHelpsKit

extension Account<ParticipantSession> {
    /// Returns the report of `pledge report --mydatahelps`, whose data is requested concurrently once its owner is known.
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
