import Foundation
import MyDataHelpsKit
import PledgeCoding

enum SurveysCommand {
    static let all = Option.flag("--all", "include completed and closed surveys")
    static let answers = Option.flag("--answers", "list your answers instead")

    static let command = Command(
        name: "surveys", summary: "list your MyDataHelps surveys to complete", part: .reading,
        options: [all, answers] + Listing.options + Access.options,
        examples: [
            "pledge surveys": "the surveys to complete, and when they are due",
            "pledge surveys --answers --csv > answers.csv": "all answers",
        ]
    ) { arguments in
        let account = try Access(arguments).participant()
        try arguments[answers] ? showAnswers(account, arguments) : showTasks(account, arguments)
        return account.warnings.exitCode
    }

    private static func showTasks(_ account: Account<ParticipantSession>, _ arguments: Arguments) throws {
        let query = SurveyTaskQuery(statuses: arguments[all] ? nil : [.incomplete])
        try account.list(
            [account.client.pages(query)], by: { HashKey($0.id.value) },
            columns: [
                .init("survey", "Survey"), .init("state", "State"), .init("due", "Due"), .init("name", nil),
                .init("assigned", nil),
            ],
            newestBy: "assigned",
            emptyMessage: arguments[all] ? "There are no surveys." : "There are no surveys to complete.",
            arguments
        ) { task in
            [
                .text(task.surveyDisplayName), .text(MyDataHelpsWords.state(task.status.rawValue)),
                .timestamp(task.dueDate, offset: task.dueOffset),
                .text(task.surveyName), .timestamp(task.insertedDate),
            ]
        }
    }

    private static func showAnswers(_ account: Account<ParticipantSession>, _ arguments: Arguments) throws {
        try account.list(
            [account.client.pages(SurveyAnswersQuery())], by: { HashKey($0.id.value) },
            columns: [
                .init("at", "When"), .init("survey", "Survey"), .init("question", "Question"),
                .init("answers", "Answer"), .init("step", nil), .init("result", nil), .init("submission", nil),
                .init("submitted", nil),
            ], newestBy: "at", emptyMessage: "There are no answers yet.", arguments
        ) { answer in
            [
                .timestamp(answer.date, offset: answer.dateOffset), .text(answer.surveyDisplayName),
                .text(MyDataHelpsWords.name(answer.resultIdentifier)),
                .texts(answer.answers), .text(answer.stepIdentifier), .text(answer.resultIdentifier),
                .text(answer.surveyResultID.value), .timestamp(answer.insertedDate),
            ]
        }
    }
}

enum NotificationsCommand {
    static let days = Option.lastDays(default: 30)

    static let command = Command(
        name: "notifications", summary: "list the notifications MyDataHelps sent you, and their status", part: .reading,
        options: [days] + Listing.options + Access.options,
        examples: ["pledge notifications --days 7": "the notifications of the last week"]
    ) { arguments in
        let account = try Access(arguments).participant()
        let start = ParticipantSpan.start(ofLast: try arguments.value(days), arguments.context)
        try account.list(
            [account.client.pages(NotificationHistoryQuery(sentAfter: start))], by: { HashKey($0.id.value) },
            columns: [
                .init("at", "Sent"), .init("way", "By"), .init("state", "Status"), .init("text", "Text"),
                .init("name", nil),
            ], newestBy: "at", emptyMessage: "No notifications were sent in these days.", arguments
        ) { item in
            [
                .timestamp(item.sentDate), .text(MyDataHelpsWords.state(item.type.rawValue)),
                .text(MyDataHelpsWords.state(item.statusCode.rawValue)), .optional(text(item.content)),
                .text(item.identifier),
            ]
        }
        return account.warnings.exitCode
    }

    private static func text(_ content: NotificationContent) -> String? {
        switch content {
        case .sms(let content): return content?.body
        case .push(let content):
            let parts = [content?.title, content?.body].compactMap(\.self)
            return parts.isEmpty ? nil : parts.joined(separator: ": ")
        case .email(let content): return content?.subject
        }
    }
}
