import ExistKit
import Foundation
import PledgeCoding

enum AttributesCommand {
    private static let most = 3_660
    static let days = Option<ReportSpan.Choice>.value(
        "--days", "N", "a number from 1 to \(most)",
        "list a value for each of the last N days, instead of only the latest value of the last week"
    ) { Int($0).flatMap { 1...most ~= $0 ? .latest($0) : nil } }
    static let group = Option.text("--group", "NAME", "a group's name", "list only the attributes of this group")

    static let command = Command(
        name: "attributes", summary: "list your Exist attributes and their values", part: .reading,
        operands: .init(form: "[NAME…]", count: .any),
        options: [
            days, ReportCommand.week, ReportCommand.month, ReportCommand.from, ReportCommand.through, group,
        ] + Listing.options + Access.options,
        examples: [
            "pledge attributes": "the latest value of each attribute",
            "pledge attributes steps sleep --days 30 --csv > month.csv":
                "a month of two attributes, for a spreadsheet, or for “pledge set --from”",
            "pledge attributes --group sleep --week 2026-W40": "a week of a group",
        ],
        notes: [units]
    ) { arguments in
        let choice = try ReportCommand.choice(arguments, days: days)
        let account = try Access(arguments).exist()
        let existAPI = account.client
        let user = try existAPI.user().wait().user
        let span = try (choice ?? .latest(7)).days(today: user.today)
        guard span.count <= most else { throw UsageError("“pledge attributes” lists \(most) days at most.") }
        let rows = try attributes(arguments, span, existAPI).flatMap { attribute in
            let values = attribute.valuesByDay
            if choice != nil { return span.reversed().map { row(attribute, $0, values[$0], user) } }
            let day = span.last { values[$0] != nil }
            return [row(attribute, day, day.flatMap { values[$0] }, user)]
        }
        try account.listing(columns: columns, rows: rows, emptyMessage: "There are no attributes.").write(arguments)
        return account.warnings.exitCode
    }

    /// Returns the attributes that the user selected, with their values. Requests the values in the way that needs
    /// fewer requests.
    private static func attributes(
        _ arguments: Arguments, _ span: ClosedRange<ExistDay>, _ existAPI: ExistAPI
    ) throws -> [ExistKit.Attribute] {
        let names = arguments.operands
        let last = span.upperBound
        func wanted(_ all: [ExistKit.Attribute]) throws -> [ExistKit.Attribute] {
            let named = try AttributeFinder.find(names, in: all)
            guard let group = arguments[group] else { return named }
            let found = named.filter { attribute in
                [attribute.group.name, attribute.group.label].contains {
                    AttributeFinder.fold($0) == AttributeFinder.fold(group)
                }
            }
            guard found.isEmpty else { return found }
            let near = Nearest.hint(to: group, among: Set(all.map(\.group.name)).sorted())
            throw Failure("No attribute is in the group “\(group)”.\(near)")
        }
        // Values can be requested for one attribute, with a hundred days per page, or for all attributes, with 31 days
        // per page. The values of all attributes are requested unless single attributes need fewer requests.
        guard !names.isEmpty, names.count * (span.count / 100 + 1) < span.count / ExistAPI.mostDaysPerRequest else {
            return try wanted(existAPI.attributes(from: span.lowerBound, through: last).wait().attributes)
        }
        return try wanted(existAPI.attributes(day: last).wait().attributes).map { attribute in
            var whole = attribute
            whole.values = try values(of: attribute, from: span.lowerBound, through: last, existAPI)
            return whole
        }
    }

    /// Returns the values of an attribute, newest first. Each request returns a hundred values, so the result may
    /// contain values from before `first`.
    static func values(
        of attribute: ExistKit.Attribute, from first: ExistDay, through last: ExistDay, _ existAPI: ExistAPI
    ) throws -> [ExistKit.Attribute.DayValue] {
        let values = Locked<[ExistKit.Attribute.DayValue]>([])
        try existAPI.pages(.values(of: attribute.name, through: last)).forEach { decoded in
            values.withLock { $0 += decoded.value.results }
            // If no item of a page could be read, the loop goes on, because more pages may follow.
            return decoded.value.results.last.map { $0.day > first } ?? true
        }.wait()
        return existAPI.values(values.withLock { $0 }, of: attribute).values
    }

    static let units = Command.Note(
        title: "UNITS",
        text:
            "Values are in the account's units, metric or imperial, which the column “unit” names. Durations are in "
            + "minutes, and times of day in minutes after midnight. A bedtime after midnight is more than 1440."
    )

    static let columns: [Listing.Column] = [
        .init("group", "Group"), .init("attribute", "Name"), .init("label", "Label"), .init("day", "Day"),
        .init("value", "Value"), .init("unit", nil),
    ]

    private static func row(
        _ attribute: ExistKit.Attribute, _ day: ExistDay?, _ value: AttributeValue?, _ user: User
    ) -> [Listing.Cell] {
        let (value, unit) = ValueCells(attribute, for: user).cells(value)
        return [
            .text(attribute.group.name), .text(attribute.name), .text(attribute.label), .optional(day?.description),
            value, unit,
        ]
    }
}
