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
            newestBy: 4, emptyMessage: arguments[all] ? "There are no surveys." : "There are no surveys to complete.",
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
            ], newestBy: 0, emptyMessage: "There are no answers yet.", arguments
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
