import ExistKit
import Foundation

/// `pledge set`: stores values for days.
enum SetCommand {
    static let on = Option<ClosedRange<ExistDay>>.value(
        "--on", "DAY", "a day such as 2026-11-20, or days such as 2026-11-01..2026-11-20",
        "the day to write, or the first and the last day: FIRST..LAST", defaultValue: "today, in your time zone"
    ) { text in
        let days = text.components(separatedBy: "..").map { ExistDay($0) }
        guard let first = days[0], let last = days[days.count - 1], days.count < 3, first <= last,
            first.distance(to: last) < 3_660
        else { return nil }
        return first...last
    }
    static let days = Option.number("--days", "N", 1...3_660, "write the last N days, including today")
    static let takeOver = Option.flag(
        "--take-over", "acquire attributes that a device or an app provides, which then no longer does")
    static let from = Option.file(
        "--from", "store the lines of a table or of JSON instead; - is standard input")
    static let startLine = Option.number(
        "--start-line", "N", 1...1_000_000_000, "with --from: omit the lines before, which an earlier run has stored")
    static let skipUnreadable = Option.flag(
        "--skip-unreadable",
        "with --from: store the others if some lines cannot be read, instead of none; the exit code is then 4")
    static let dryRun = Option.flag(
        "--dry-run",
        "store nothing, but print what would be stored, what that would replace, and what would be acquired")
    static let wait = Option.seconds(
        "--wait", 0...86_400, "how long to wait for the service's limit in total", defaultValue: "unlimited")

    static let ofFiles: [any AnyOption] = [startLine, skipUnreadable]

    static let command = Command(
        name: "set", summary: "store values and tags in Exist, of a day or of many", part: .writing,
        operands: .init(form: "NAME=VALUE… | --from FILE", count: .any),
        options: [on, days, from] + ofFiles + [takeOver, dryRun, wait] + Listing.options + Access.options,
        examples: [
            "pledge set mood=7 \"tag: coffee\"": "today's mood and a tag, which is created if it is new",
            "pledge set weight=72.4 --on 2026-11-20 --take-over":
                "another day; the weight is entered manually from now on",
            "pledge set holiday=yes --on 2026-07-01..2026-07-14": "each of these days",
            "pledge set --from year.csv --dry-run": "what would be stored of a file, which you have edited",
            "pledge set --from year.csv": "what “pledge attributes --csv” has written",
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
                    The columns “day”, “attribute”, “value”, and “unit”, among others, as “pledge attributes” prints them with
                    --csv, --json, --jsonl, or tabs; as the view “daily” of a database has them; and lines of “pledge export”.
                    A number is converted from its unit. Without one, it is refused if your account's unit and the one that
                    Exist stores differ, and so is a bedtime in minutes. Spaces around a cell mean nothing, except in a text.
                    Lines without a value are omitted; 35 lines take a request. Nothing is stored if any line cannot be read.
                    After an interruption or an error, continue with the --start-line that is named.
                    """),
        ]
    ) { arguments in
        try Writing.run(arguments)
    }
}
