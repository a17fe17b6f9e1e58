import ExistKit
import Foundation

/// `pledge set`: stores values in Exist, for one day or several days.
enum SetCommand {
    static let on = Option<ClosedRange<ExistDay>>.value(
        "--on", "DAY", "a day such as 2026-11-20, or days such as 2026-11-01..2026-11-20",
        "the day to write, or the first and the last day: FIRST..LAST (default today, in your time zone)"
    ) { text in
        let days = text.components(separatedBy: "..").map { ExistDay($0) }
        guard let first = days[0], let last = days[days.count - 1], days.count < 3, first <= last,
            first.distance(to: last) < 3_660
        else { return nil }
        return first...last
    }
    static let days = Option.number("--days", "N", 1...3_660, "write the last N days, including today")
    static let takeOver = Option.flag(
        "--take-over",
        "acquire attributes that a device or an app provides; that device or app then no longer updates them")
    static let from = Option.file(
        "--from", "store the lines of a table or of JSON instead; - is standard input")
    static let startLine = Option.number(
        "--start-line", "N", 1...1_000_000_000,
        "with --from: skip the lines before line N, because an earlier run has stored them")
    static let skipUnreadable = Option.flag(
        "--skip-unreadable",
        "with --from: if some lines cannot be read, store all others, and exit with code 4; without this option, nothing "
            + "is stored then")
    static let dryRun = Option.flag(
        "--dry-run",
        "store nothing, but print what would be stored, what that would replace, and what would be acquired")
    static let wait = Option.seconds(
        "--wait", 0...86_400, "how long to wait for the service's limit in total (default unlimited)")

    static let ofFiles: [any AnyOption] = [startLine, skipUnreadable]

    static let command = Command(
        name: "set", summary: "store values and tags in Exist, for one day or many", part: .writing,
        operands: .init(form: "NAME=VALUE… | --from FILE", count: .any),
        options: [on, days, from] + ofFiles + [takeOver, dryRun, wait] + Listing.options + Access.options,
        examples: [
            "pledge set mood=7 \"tag: coffee\"": "today's mood and a tag, which is created if it is new",
            "pledge set weight=72.4 --on 2026-11-20 --take-over":
                "another day; the weight is entered manually from now on",
            "pledge set holiday=yes --on 2026-07-01..2026-07-14": "each of these days",
            "pledge set --from year.csv --dry-run": "show what would be stored from a file that you have edited",
            "pledge set --from year.csv": "store what “pledge attributes --csv” has written",
        ],
        notes: [
            .init(
                title: "VALUES",
                text: """
                    Numbers are in your account's units, with a decimal point. Durations: 450, 7h30m, 7:30, or 7:30:00. Times:
                    22:55. Tags: yes or no. Fractions: 0.2 or 20%. A stored value is replaced. Attributes that a device or an
                    app provides are not changed without --take-over; “pledge release” gives them back. Values that could not be
                    stored are reported, and the exit code is 1.
                    """),
            .init(
                title: "FILES",
                text: """
                    FILE comes from “pledge attributes” with --csv, --json, --jsonl, or tabs, from the view “daily” of a
                    database, or from “pledge export”. A table has a line for each value, with the columns “day”, “attribute”,
                    “value”, “unit”, and possibly others.
                    A table may also have a line for each day, with the columns “day” or “date”, “mood”, “weight (kg)”, and so on.
                    A number is converted from its unit. A number without a unit is refused if your account's unit differs from
                    the unit that Exist stores, or if it is a bedtime in minutes. Spaces around a cell are ignored, except in
                    a text. Lines without a value are skipped. Each request stores 35 lines. Nothing is stored if any line
                    cannot be read. After an interruption or an error, continue with the --start-line that pledge prints.
                    """),
        ]
    ) { arguments in
        try ExistWriter.run(arguments)
    }
}

enum IncrementCommand {
    static let command = Command(
        name: "increment", summary: "add to a day's totals in Exist", part: .writing,
        operands: .init(form: "NAME=VALUE…", count: .atLeastOne),
        options: [SetCommand.on, SetCommand.takeOver, SetCommand.wait] + Listing.options + Access.options,
        examples: [
            "pledge increment water=250 coffees=1": "add a glass and a cup, and print the new totals"
        ],
        notes: [
            .init(
                title: "ERRORS",
                text: """
                    An increment that may have been received is never sent again automatically: after an error, check
                    “pledge attributes” before you repeat the command.
                    """)
        ]
    ) { arguments in
        try ExistWriter.run(arguments, adds: true)
    }
}

enum CreateCommand {
    private static let types: KeyValuePairs<String, ValueType> = [
        "tag": .boolean, "count": .int, "decimal": .float, "text": .string, "duration": .periodMin,
        "time-of-day": .minFromMidnight, "percentage": .percentage, "rating": .scale,
    ]
    static let type = Option<ValueType>.choice(
        "--type", types, "what its values are: " + types.map(\.key).joined(separator: ", "), defaultValue: "tag")
    static let group = Option.text(
        "--group", "NAME", "a group's name", "its group, such as productivity or health (default custom)")

    static let command = Command(
        name: "create", summary: "create an attribute or a tag of your own, which “pledge set” can then store",
        part: .writing, operands: .init(form: "LABEL…", count: .atLeastOne),
        options: [type, group] + Listing.options + Access.options,
        examples: [
            "pledge create \"Done working\" --type time-of-day --group productivity": "a time of each day",
            "pledge create coffee \"late dinner\"": "two tags",
        ]
    ) { arguments in
        let writer = try ExistWriter(arguments)
        let type = try arguments.value(type)
        let made = try writer.existAPI.create(
            arguments.operands.map { label in
                .custom(label: label, group: arguments[group] ?? "custom", valueType: type)
            }
        ).wait().attributeResponse
        try writer.print(
            columns: [
                .init("attribute", "Created"), .init("label", "Label"), .init("group", "Group"), .init("type", "Type"),
            ],
            rows: made.success.map { item in
                let type = types.first { $0.value == item.valueType }?.key
                return [.text(item.name), .text(item.label), .text(item.group.name), .optional(type)]
            }, emptyMessage: "Nothing was created.")
        return writer.report(made, "created", arguments.operands)
    }
}

enum ReleaseCommand {
    static let command = Command(
        name: "release", summary: "release attributes, so that a device or an app provides them again", part: .writing,
        operands: .init(form: "NAME…", count: .atLeastOne), options: Listing.options + Access.options,
        examples: ["pledge release weight": "release what --take-over acquired"],
        notes: [
            .init(
                title: "WHAT HAPPENS NEXT",
                text: """
                    Exist assigns the attribute to another connected service that provides it. If there is none, the attribute
                    is no longer in use, but its values remain.
                    """)
        ]
    ) { arguments in
        let writer = try ExistWriter(arguments)
        let attributes = try AttributeFinder.find(arguments.operands, in: writer.attributes().wait())
        let result = try writer.existAPI.release(names: attributes.map(\.name)).wait().attributeResponse
        let known = AttributeFinder(try writer.attributes().wait())
        try writer.print(
            columns: [.init("attribute", "Released"), .init("service", "Filled in by")],
            rows: result.success.map { item in
                [.text(item.name), .optional(known.match(item.name)?.serviceInfo?.label)]
            }, emptyMessage: "Nothing was released.")
        return writer.report(result, "released", attributes.map(\.name))
    }
}
