import ExistKit
import PledgeCoding

enum InsightsCommand {
    static let days = Option.lastDays(default: 7)

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

enum AveragesCommand {
    static let command = Command(
        name: "averages", summary: "list your averages in Exist, by weekday", part: .reading,
        operands: .init(form: "[NAME…]", count: .any), options: Listing.options + Access.options,
        examples: ["pledge averages steps sleep": "the averages of two attributes"],
        notes: [AttributesCommand.units]
    ) { arguments in
        let account = try Access(arguments).exist()
        let existAPI = account.client
        let (user, attributes, averages) = try when(
            fulfilled: existAPI.user(), existAPI.attributes(day: nil), existAPI.averages()
        ).map { user, attributes, averages in (user.user, attributes.attributes, averages.averages) }.wait()
        let wanted = try AttributeFinder.find(arguments.operands, in: attributes)
        let known = Dictionary(averages.map { (ExactText($0.attribute), $0) }, uniquingKeysWith: { first, _ in first })
        let rows = wanted.compactMap { attribute -> [Listing.Cell]? in
            guard let average = known[ExactText(attribute.name)] else {
                if !arguments.operands.isEmpty {
                    arguments.terminal.notify("Exist has no averages of \(attribute.name).")
                }
                return nil
            }
            let form = ValueCells(attribute, for: user)
            return [.text(attribute.name), .text(attribute.label), form.unit]
                + ([average.overall] + ExistDay.Weekday.allCases.map { average[$0] }).map(form.average)
        }
        try account.listing(
            columns: [
                .init("attribute", nil), .init("label", "Attribute"), .init("unit", nil), .init("overall", "Overall"),
                .init("monday", "Mon"), .init("tuesday", "Tue"), .init("wednesday", "Wed"), .init("thursday", "Thu"),
                .init("friday", "Fri"), .init("saturday", "Sat"), .init("sunday", "Sun"),
            ], rows: rows, emptyMessage: "There are no averages yet."
        ).write(arguments)
        return account.warnings.exitCode
    }
}

enum CorrelationsCommand {
    static let command = Command(
        name: "correlations", summary: "list the correlations that Exist found in your data", part: .reading,
        operands: .init(form: "[NAME]", count: 0...1),
        options: Listing.options + Access.options,
        examples: ["pledge correlations mood": "everything that correlates with your mood"]
    ) { arguments in
        let account = try Access(arguments).exist()
        let existAPI = account.client
        let attributes = try existAPI.attributes(day: nil).wait().attributes
        let name = try arguments.operands.first.map { try AttributeFinder(attributes).find($0).name }
        let found = try existAPI.all(.correlations(for: name)).wait().items
        let labels = Labels(attributes)
        try account.listing(
            columns: [
                .init("attribute", nil), .init("attribute2", nil), .init("sentence", "Correlation"),
                .init("strength", "Strength"), .init("value", nil), .init("stars", nil), .init("offset", nil),
                .init("day", nil),
            ],
            rows: found.sorted { abs($0.value) > abs($1.value) }.map { item in
                let words = Report.Correlation(item, labels)
                return [
                    .text(item.attribute), .text(item.attribute2), .text(words.sentence), .text(words.strength),
                    .number(item.value), item.stars.map { .number(Double($0)) } ?? .nothing,
                    item.offset.map { .number(Double($0)) } ?? .nothing, .text(item.day.description),
                ]
            }, emptyMessage: "Exist found no correlations."
        ).write(arguments)
        return account.warnings.exitCode
    }
}
