import ExistKit
import Foundation
import PledgeCoding

enum AttributesCommand {
    static let days = Option.number(
        "--days", "N", 1...3_660, "a row for each day, back from today, instead of the latest value of the last week")

    static let command = Command(
        name: "attributes", summary: "list your Exist attributes and their values", part: .reading,
        operands: .init(form: "[NAME…]", count: 0...1_000),
        options: [days] + Listing.options + Access.options,
        examples: [
            .init("pledge attributes", "the latest value of each attribute"),
            .init(
                "pledge attributes steps sleep --days 30 --csv > month.csv",
                "a month of two attributes, for a spreadsheet"),
            .init(
                "pledge attributes --json | jq -r '.[] | select(.group == \"sleep\") | .name'",
                "the attributes of a group"),
        ],
        notes: [Listing.note, units]
    ) { arguments in
        let account = try Access(arguments).exist()
        let count = arguments[days] ?? 7
        let existAPI = account.client
        let (user, attributes) = try existAPI.user().then { user, _ in
            existAPI.attributes(days: count, from: user.today.advanced(by: 1 - count), through: user.today)
                .map { attributes, _ in (user, attributes) }
        }.wait()
        let rows = try AttributeFinder.find(arguments.operands, in: attributes).flatMap { attribute in
            let values = attribute.values.sorted { $0.day > $1.day }
            if arguments[days] != nil { return values.map { row(attribute, $0, user) } }
            return [row(attribute, values.first { $0.value != nil }, user)]
        }
        try account.listing(columns: columns, rows: rows, emptyMessage: "There are no attributes.").write(arguments)
        return 0
    }

    static let units = Command.Note(
        title: "UNITS",
        text:
            "Those of the account, metric or imperial. Durations are in minutes, times of day in minutes after midnight."
    )

    static let columns: [Listing.Column] = [
        .init("group", "Group"), .init("attribute", "Name"), .init("label", "Label"), .init("day", "Day"),
        .init("value", "Value"), .init("unit", nil),
    ]

    private static func row(
        _ attribute: ExistKit.Attribute, _ value: ExistKit.Attribute.DayValue?, _ user: User
    ) -> [Listing.Cell] {
        [
            .text(attribute.group.name), .text(attribute.name), .text(attribute.label),
            .optional(value?.day.description),
            cell(value?.value ?? nil, of: attribute, user),
            .optional(DisplayUnit(attribute, for: user).column),
        ]
    }

    static func cell(_ value: AttributeValue?, of attribute: ExistKit.Attribute, _ user: User) -> Listing.Cell {
        guard let value else { return .nothing }
        if attribute.valueType == .boolean, let flag = value.bool { return .flag(flag) }
        let number = attribute.valueType == .string ? nil : value.double
        return DisplayUnit(attribute, for: user).cell(number, ValueText.value) ?? .text(value.plainText)
    }
}
