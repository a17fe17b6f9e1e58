import ExistKit

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
                let words = WeeklyReport.Correlation(item, labels)
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
