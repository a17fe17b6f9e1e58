import ExistKit
import PledgeCoding

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
                    arguments.terminal.tell("Exist has no averages of \(attribute.name).")
                }
                return nil
            }
            let form = ValueForm(attribute, for: user)
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
