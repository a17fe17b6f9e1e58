import ExistKit
import Foundation
import MyDataHelpsKit

/// `pledge report --mydatahelps`: a participant's days, everything asked for at once.
struct ParticipantReport {
    var wish: ReportSpan.Wish
    var zone = TimeZone.current
    var now = Date()

    func make(_ account: Account<ParticipantSession>) throws -> WeeklyReport {
        let span = ParticipantSpan(try ReportSpan(wish, today: ExistDay(now, in: zone)), in: zone)
        let session = account.client
        let data = when(
            fulfilled: ParticipantSpan.namespaces.map { namespace in
                session.allPages(
                    DeviceDataQuery(
                        namespace: namespace, observedAfter: span.startBefore, observedBefore: span.end)
                ).items()
            }
        ).map { $0.flatMap { $0 } }
        return try when(
            fulfilled: session.getParticipantInfo(), data,
            session.querySurveyTasks(SurveyTaskQuery(statuses: [.incomplete])),
            session.querySurveyAnswers(SurveyAnswersQuery(after: span.start, before: span.end)),
            session.listExternalAccounts()
        ).map { participant, points, tasks, answers, accounts in
            let name = [participant.demographics.firstName, participant.demographics.lastName].compactMap { $0 }
            var report = WeeklyReport(
                person: name.isEmpty ? participant.participantIdentifier : name.joined(separator: " "),
                source: account.source, demo: account.isDemo, days: span.days, endsToday: span.endsToday, checkIn: nil,
                groups: span.groups(of: points), correlations: [], insights: [], warnings: account.warnings.all)
            func mark(_ date: Date?) -> String {
                guard let date else { return "any time" }
                let day = span.day(date)
                let isNamed = report.endsToday && report.days.suffix(2).contains(day)
                return isNamed ? report.name(ofDay: day).capitalizedSentence : ExistDay(day)?.short ?? day
            }
            report.lists = [
                WeeklyReport.List(
                    title: "Tasks due",
                    entries: tasks.surveyTasks.map { .init(mark: mark($0.dueDate), text: $0.surveyDisplayName) }),
                WeeklyReport.List(
                    title: "Latest answers",
                    entries: answers.surveyAnswers.prefix(10).map { answer in
                        let words = answer.answers.joined(separator: ", ")
                        let question = Readable.name(answer.resultIdentifier)
                        return .init(
                            mark: mark(answer.date), text: "\(answer.surveyDisplayName), \(question): \(words)")
                    }),
                WeeklyReport.List(
                    title: "Connected accounts",
                    entries: accounts.map {
                        .init(mark: Readable.state($0.status.rawValue).capitalizedSentence, text: $0.provider.name)
                    }),
            ].filter { !$0.entries.isEmpty }
            return report
        }.wait()
    }
}
