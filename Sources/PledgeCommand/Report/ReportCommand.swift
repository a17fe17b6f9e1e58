import ExistKit

struct ReportCommand {
    typealias Choice = ReportSpan.Choice

    static let isMyDataHelps = Option.flag(
        "--mydatahelps", "report on a MyDataHelps participant instead: device data, tasks, answers, accounts")
    static let json = Option.flag("--json", "print the report as JSON")
    private static let all = Option.flag("--all", "show all correlations and insights, not only the first five")
    static let database = Option.file(
        "--database",
        "read the data from a database of “pledge sync”, without using a service. Any period is allowed: up to 31 days "
            + "are shown by day, up to a year by week, up to five years by month, and more by year")
    static let account = Option.text(
        "--account", "NAME", "an account's name", "the account, if the database has several")
    private static let days = Option<Choice>.value(
        "--days", "N", "a number from 1 to \(ReportSpan.longestStored)",
        "the number of days up to today; at most \(ReportSpan.longest) without --database", defaultValue: "7"
    ) { Int($0).flatMap { 1...ReportSpan.longestStored ~= $0 ? .latest($0) : nil } }
    static let week = Option<Choice>.value(
        "--week", "WEEK", "a week such as 2026-W40", "the days of an ISO 8601 week"
    ) { ReportSpan.monday(ofWeek: $0).map { .period($0, $0.advanced(by: 6)) } }
    static let month = Option<Choice>.value(
        "--month", "MONTH", "a month such as 2026-10", "the days of a month"
    ) { ReportSpan.month($0).map { .period($0.first, $0.last) } }
    private static let year = Option<Choice>.value(
        "--year", "YEAR", "a year such as 2026", "the days of a year; requires --database"
    ) { ReportSpan.year($0).map { .period($0.first, $0.last) } }
    static let from = Option.day("--from", "the first day (default six days before the last)")
    static let through = Option.day(
        "--through", "the last day (default today or, with --database, the day of the last successful sync)")

    static let command = Command(
        name: "report", summary: "show a week of your data, compared with what is usual for you", part: .reading,
        options: [
            isMyDataHelps, json, Listing.html, all, database, account, days, week, month, year, from, through,
            Listing.plain,
        ] + Access.options,
        examples: [
            "pledge report": "the last seven days",
            "pledge report --week 2026-W40 --html week.html": "another week, as a web page",
            "pledge report --database tracking.db --year 2026": "a year, offline, from your own database",
            "pledge report --html week.html --demo": "a page of sample data, without an account",
        ]
    ) { arguments in
        try ReportCommand(arguments).run()
    }

    private let arguments: Arguments
    private let choice: Choice

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        choice = try Self.choice(arguments, days: Self.days) ?? arguments.value(Self.days)
        if arguments[Self.database] == nil {
            guard arguments[Self.account] == nil else { throw UsageError("--account requires --database.") }
            if let count = choice.count { try ReportSpan.check(count) }
        } else if let option = Self.onlyAsking.first(where: { arguments.has($0) }) {
            throw UsageError("\(option.name) applies to a service, which --database does not use: omit one.")
        }
        if arguments[Listing.plain], arguments[Listing.html] != nil {
            throw UsageError("--plain applies to text, and --html writes a page: omit one.")
        }
        if arguments[Self.all], arguments[Self.json] || arguments[Listing.html] != nil {
            throw UsageError("--all applies to text: --json and --html have everything.")
        }
        if arguments[Self.json], arguments[Listing.html] == "-" {
            throw UsageError("--json and --html - both write to standard output.")
        }
    }

    /// The options that apply only to a report that requests its data from a service.
    private static let onlyAsking: [any AnyOption] = [Access.profile] + Access.requests

    /// Returns the days that the user chose. Returns nil if none of the options for days is given. The command
    /// “attributes” has these options, too.
    static func choice(_ arguments: Arguments, days: Option<Choice>) throws -> Choice? {
        let given = [days, week, month, year].filter { arguments.has($0) }
        let isBetween = arguments.has(from) || arguments.has(through)
        let ways = given.map(\.name) + (isBetween ? ["--from and --through"] : [])
        guard ways.count <= 1 else {
            throw UsageError("\(ways.joined(separator: " and ")) select different days: omit one.")
        }
        if let first = arguments[from], let last = arguments[through], last < first {
            throw UsageError("--from is after --through: swap them.")
        }
        if isBetween { return .between(arguments[from], arguments[through]) }
        return given.first.flatMap { arguments[$0] }
    }

    /// Shows the report, and returns the exit code. As for lists, it isn't 0 if the service sent items that could not be
    /// read. A report from a database has the exit code 0, because `pledge sync` has reported such items.
    func run() throws -> ExitCode {
        // Checks that the page can be written before sending any request.
        let page = try arguments[Listing.html].flatMap { $0 == "-" ? nil : try WholeFile($0) }
        let (access, context) = (try Access(arguments), arguments.context)
        if let file = arguments[Self.database] {
            let report = try DatabaseReport(
                path: file, choice: choice, service: arguments[Self.isMyDataHelps] ? .mydatahelps : .exist,
                account: arguments[Self.account], zone: context.timeZone, now: context.clock.now()
            ).make()
            guard report.demo || !arguments[Access.demo] else {
                throw UsageError("--demo asks for sample data, but \(file) has an account's own data: omit --demo.")
            }
            guard !report.demo || arguments[Access.demo] || arguments.showsDemo else {
                throw UsageError("\(file) has only sample data: to write it as a page or as JSON, add --demo.")
            }
            try show(report, page)
            return .success
        }
        if arguments[Self.isMyDataHelps] {
            let account = try access.participant()
            try show(account.report(choice, context.timeZone, context.clock.now()), page)
            return account.warnings.exitCode
        }
        let account = try access.exist()
        try show(report(account), page)
        return account.warnings.exitCode
    }

    private func report(_ account: Account<ExistAPI>) throws -> Report {
        let (existAPI, owner) = account.client.ofOneOwner()
        return try owner().then { user -> Promise<Report> in
            let span = try ReportSpan(choice, today: user.today)
            return when(
                fulfilled: existAPI.attributes(
                    days: span.days.count * 2, from: span.before[0], through: span.days.last),
                // For past days, two weeks of averages are requested, in case the averages of one week are missing.
                span.isOpen
                    ? existAPI.averages()
                    : existAPI.averages(
                        includeHistorical: true, from: span.last.advanced(by: -13), through: span.last),
                // Exist has correlations for the latest days only.
                span.isOpen
                    ? existAPI.correlations(strong: true).map(\.correlations) : .value([]),
                existAPI.all(.insights(from: span.days[0], through: span.days.last))
            ).map { attributes, averages, correlations, insights in
                Report(
                    user: user, attributes: attributes.attributes, averages: averages.averages,
                    correlations: correlations,
                    insights: insights.items, span: span, source: account.source, demo: account.isDemo,
                    warnings: account.warnings.all)
            }
        }.wait()
    }

    private func show(_ report: Report, _ page: WholeFile?) throws {
        if let file = arguments[Listing.html] {
            let markup = HTMLReport(report: report).rendered()
            if let page {
                try page.write(markup)
                arguments.terminal.notify("Wrote \(file).")
            } else {
                try arguments.terminal.write(markup)
            }
        }
        if arguments[Self.json] {
            try arguments.terminal.write(report.prettyJSON())
        } else if arguments[Listing.html] == nil {
            let terminal = arguments.terminal
            let isPlain = arguments[Listing.plain]
            let text = TextReport(
                report: report, width: terminal.width, color: !isPlain && terminal.isColorful, isLinear: isPlain,
                showsAll: arguments[Self.all])
            try terminal.show(text.rendered() + "\n")
        }
    }
}
