import MyDataHelpsKit

/// `pledge surveys`: lists a participant's tasks or answers.
enum SurveysCommand {
    static let all = Option.flag("--all", "include completed and closed surveys")
    static let answers = Option.flag("--answers", "list your answers instead")

    static let command = Command(
        name: "surveys", summary: "list your MyDataHelps surveys to complete", part: .reading,
        options: [all, answers] + Listing.options + Access.options,
        examples: [
            .init("pledge surveys", "the surveys to complete, and when they are due"),
            .init("pledge surveys --answers --csv > answers.csv", "all answers"),
        ], notes: [Listing.note]
    ) { arguments in
        let account = try Access(arguments).participant()
        let listing = try arguments[answers] ? given(account) : tasks(account, all: arguments[all])
        try listing.write(arguments)
        return 0
    }

    private static func tasks(_ account: Account<ParticipantSession>, all: Bool) throws -> Listing {
        let query = SurveyTaskQuery(statuses: all ? nil : [.incomplete])
        let tasks = try account.client.allPages(query).items().wait()
        return account.listing(
            columns: [.init("survey", "Survey"), .init("state", "State"), .init("due", "Due"), .init("name", nil)],
            rows: tasks.map { task in
                [
                    .text(task.surveyDisplayName), .text(Readable.state(task.status.rawValue)), .moment(task.dueDate),
                    .text(task.surveyName),
                ]
            }, silence: all ? "There are no surveys." : "There are no surveys to complete.")
    }

    private static func given(_ account: Account<ParticipantSession>) throws -> Listing {
        let answers = try account.client.allPages(SurveyAnswersQuery()).items().wait()
        return account.listing(
            columns: [
                .init("at", "When"), .init("survey", "Survey"), .init("question", "Question"),
                .init("answer", "Answer"), .init("step", nil), .init("result", nil),
            ],
            rows: answers.map { answer in
                [
                    .moment(answer.date), .text(answer.surveyDisplayName),
                    .text(Readable.name(answer.resultIdentifier)),
                    .text(answer.answers.joined(separator: ", ")), .text(answer.stepIdentifier),
                    .text(answer.resultIdentifier),
                ]
            }, silence: "There are no answers yet.")
    }
}
