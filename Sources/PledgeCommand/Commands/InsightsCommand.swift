import ExistKit

enum InsightsCommand {
    static let days = ParticipantSpan.days(usually: "7")

    static let command = Command(
        name: "insights", summary: "list Exist's insights, newest first", part: .reading,
        options: [days] + Listing.options + Access.options,
        examples: ["pledge insights --days 30": "the insights of a month"]
    ) { arguments in
        let account = try Access(arguments).exist()
        let existAPI = account.client
        let count = try arguments.value(days)
        let insights = try existAPI.user().then { user, _ in
            existAPI.all(.insights(from: user.today.advanced(by: 1 - count)))
        }.wait().items
        try account.listing(
            columns: [.init("day", "Day"), .init("type", nil), .init("text", "Insight"), .init("created", nil)],
            rows: insights.inOrderOfTime.map { insight in
                [
                    .optional(insight.targetDay?.description), .text(insight.type.name), .text(insight.text),
                    .timestamp(insight.created),
                ]
            }, emptyMessage: "There are no insights for the last \(count) days."
        ).write(arguments)
        return account.warnings.exitCode
    }
}
