import ExistKit
import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// `pledge export`: reads a list of accounts, fetches the data of several accounts at a time, and writes a line for
/// each.
struct ExportCommand {
    var options: ExportOptions

    func run() throws -> ExitCode {
        try options.batch.checkFiles(results: options.files, named: "--output")
        return try MetricsFile("export", options.batch).during(run)
    }

    private func run(_ metrics: MetricsFile) throws -> ExitCode {
        var options = options
        let input = try BatchInput(options.batch)
        let accounts = try input.survey()
        if options.batch.arguments[AccountCheck.option] {
            return try AccountCheck.run(input, accounts)
        }
        let failedBefore = options.failedBefore()
        var start = try Self.start(options, accounts, input.servers)
        log(start, input.reporter)

        options.window = start.window
        let export = AccountExport(options: options, reporter: input.reporter)
        let writer = LineWriter<LineBuffer> { [lines = start.lines] in try lines.append($0) }
        input.begin(done: start.done, servers: start.servers)
        var session = BatchSession(input: input, metrics: metrics)
        session.toDo = accounts.map { $0.count - (start.done.count - start.unknown) }
        session.failedBefore = failedBefore.union(start.failedBefore)
        session.earlier = start.earlier.tallies
        session.advice = options.output == nil ? "" : "continue with --resume."
        let (code, whole) = try session.run(
            work: { account in
                export.line(of: account).then(on: nil) { line, outcome in
                    writer.write(line).map(on: nil) { outcome }
                }
            },
            ending: { [options, start] whole in
                // Another program may have moved the file since the last line was written. In that case, the run fails.
                try start.lines.checkLocation()
                return LogEvent(errors: whole.errors, advice: options.adviceToRetry(whole.errors.keys.sorted()))
            })
        // A run is finished if every account has a line, even if a service was down in the end. If such a run counted
        // as unfinished, `--resume` would continue it forever for accounts that always fail, and never start a new run.
        if code != .interrupted, code != .serviceDown || whole.givenUp == 0 { try start.save(isFinished: true) }
        start.lines.unlock()
        return code
    }

    private static func start(
        _ options: ExportOptions, _ accounts: Set<HashKey>?, _ servers: BatchServers
    ) throws -> ExportStart {
        guard let path = options.output else {
            return ExportStart(
                SystemFile(options.batch.context.terminal.output, named: "standard output", closes: false), options)
        }
        guard !OutputPath.isStream(path) else { return ExportStart(try SystemFile(stream: path), options) }
        return try ExportStart(at: OutputPath(path), options, accounts: accounts, servers: servers)
    }

    private func log(_ start: ExportStart, _ reporter: ProgressReporter) {
        if options.batch.context.clock.now().timeIntervalSince(start.window.began) > 86_400 {
            reporter.log(
                LogEvent(
                    name: "old-run",
                    text:
                        "\(start.lines.name) is a run that began on \(start.window.today), so the same days are "
                        + "requested as on that date."
                        + (options.outputName?.hasDay == true
                            ? "" : " With %F in the name, a finished run would be followed by a new one."),
                    facts: ["began": .string(Timestamp.text(start.window.began))]))
        }
        guard !start.done.isEmpty || start.retried > 0 else { return }
        var text =
            "Resuming after \(NumberText.counted(start.done.count, "account")) that \(start.lines.name) already has."
        if start.retried > 0 { text += " Repeating \(NumberText.counted(start.retried, "account")) that failed." }
        let failed = start.earlier.failures.count
        if failed > 0 { text += " \(NumberText.grouped(failed)) of them failed; --retry all repeats them." }
        if start.unretried > 0 {
            text += " If the accounts were in a file, \(NumberText.grouped(start.unretried)) would be repeated now."
        }
        if start.unknown > 0 {
            text += " \(NumberText.grouped(start.unknown)) of them are not in the input, and stay unchanged."
        }
        reporter.log(
            LogEvent(
                name: "resumed", text: text,
                facts: [
                    "done": .integer(start.done.count), "failed": .integer(failed),
                    "retried": .integer(start.retried), "unknown": .integer(start.unknown),
                ]))
    }
}

extension ExportOptions {
    /// Returns a sentence that names the options for repeating the accounts with these errors. Returns an empty text if
    /// they cannot be repeated.
    func adviceToRetry(_ kinds: [String]) -> String {
        guard let output, batch.input != nil else { return "" }
        // The sentence contains the name of this run's file. The pattern that the user gave may stand for another file
        // on another day.
        let again = kinds.joined(separator: ",")
        return "Repeat them with --output \(OutputName.quoted(output)) --resume --retry \(again)."
    }
}

extension ExportCommand {
    static let command = Command(
        name: "export", summary: "export the data of many accounts, one line of JSON for each", part: .machines,
        operands: .init(form: "[accounts.jsonl]", count: 0...1, completes: .files),
        options: ExportOptions.all,
        examples: [
            "pledge export accounts.jsonl --check": "shows what would fail",
            "pledge export accounts.jsonl --output results.jsonl --resume": "starts a run, or continues an earlier one",
            "pledge export accounts.jsonl --output results.jsonl --resume --retry unauthorized":
                "repeats only the accounts whose tokens were refused",
        ],
        notes: [input, files, codes]
    ) { arguments in
        try ExportCommand(options: ExportOptions(arguments).continuing()).run()
    }

    private static let input = Command.Note(
        title: "INPUT, one line per account",
        text: """
            Without a file, or with -, accounts are read from standard input. Each line is an object:
            {"service":"exist","account":"NAME","token":"TOKEN"}
            {"service":"mydatahelps","account":"NAME","token":"TOKEN"}
            NAME is any name; the result repeats it. In place of "TOKEN", a line may say where to find the token:
            {"env":"VARIABLE"}  in an environment variable
            {"file":"PATH"}  in a file
            {"command":["PROGRAM",…]}  in what a program prints; its arguments follow its name
            {"profile":"NAME"}  in an account that “pledge login” stored
            {"serviceAccount":{…}}  issued for a participant of MyDataHelps, with the members "name", "key" \
            ({"file":"PATH"} or {"env":"NAME"}), "project", and "participant"
            When a token from a file, a program, or a stored account has expired, it is read again.
            Other members of a line: "kind":"simple" for a simple token of Exist, and "address":"URL" for a server other \
            than the real service, such as a sandbox: https, or http on this machine. Unknown members are ignored.
            A token is sent only to the address in its line, or else to EXIST_BASE_URL or MYDATAHELPS_BASE_URL, or else \
            to the real service. A run has one address for each service. If a line's address differs from that of another \
            line, of the variable, or of the results to continue, the run ends with exit code 64, and sends nothing to \
            the second address.
            """)

    private static let files = Command.Note(
        title: "FILES",
        text: """
            All files but metrics are accessible only to you (mode 600). An existing file that belongs to another user, or
            that others can access, is refused. FILE may be a symbolic link that belongs to you. FILE.run stores the
            options of a run, so that --resume requests the same data.
            """)

    private static let codes = Command.Note(
        title: "EXIT CODES",
        text: """
            0  every account has a result
            1  the run could not continue, for example because the disk is full or the results were moved
            2  some accounts failed, or some lines could not be read
            3  stopped because a service is down; the remaining accounts have no line
            4  every account has a result, but some lack items that could not be read
            64  invalid command line, or input without accounts
            130  interrupted
            """)
}

/// The days to request. They depend on the time at which the run began, so that a run that is resumed after midnight
/// requests the same days.
struct ExportDays: Sendable {
    /// The number of days; only used if `first` is nil.
    var count: Int
    var first: ExistDay?
    /// The last day; nil for the day on which the run began, in each user's time zone.
    var last: ExistDay?
    var began: Date
    /// The day on which the run began in the local time zone, for accounts whose time zone is unknown.
    var today: ExistDay

    func last(in zone: TimeZone?) -> ExistDay {
        last ?? zone.map { ExistDay(began, in: $0) } ?? today
    }

    func first(before last: ExistDay) -> ExistDay {
        first.map { min($0, last) } ?? last.advanced(by: 1 - count)
    }
}

struct ExportOptions {
    enum Section: String, CaseIterable, Sendable {
        case profile, attributes, averages, correlations, insights
        case participant, project, devicedata, tasks, answers

        var service: AccountID.Service {
            switch self {
            case .profile, .attributes, .averages, .correlations, .insights: .exist
            case .participant, .project, .devicedata, .tasks, .answers: .mydatahelps
            }
        }
    }

    // Options that select what is requested.
    static let days = Option.number(
        "--days", "N", 1...36_500, "the number of days of values and insights, up to --through", defaultValue: "7")
    static let from = Option.day("--from", "the first day, instead of --days")
    static let through = Option.day("--through", "the last day (default the day the run began)")
    static let sections = Option<Set<Section>>.value(
        "--sections", "NAMES", "names with commas between them",
        "export only these, separated by commas: profile, attributes, averages, correlations, insights; participant, "
            + "project, devicedata, tasks, answers. If you name sections of only one service, the other service is "
            + "exported completely", read: sections)

    // Options for the file with the results.
    static let output = Option.file(
        "--output",
        "the file for the results. Without --resume, it must be empty or missing. In its name, %F stands for the day "
            + "on which the run began, and %% for a percent sign")
    static let resume = Option.flag(
        "--resume",
        "continue an earlier run, even if it failed: accounts that have a line are skipped, except those with an error "
            + "that may have passed (\(AccountError.passingKinds.sorted().joined(separator: ", ")), and truncated "
            + "responses)"
    )
    static let retry = Option<Set<String>>.value(
        "--retry", "KINDS", "kinds of errors, or “all”",
        "with --resume: repeat the accounts with these kinds of errors instead; “all” for every kind"
    ) { try AccountError.kinds($0, among: AccountError.kinds) }

    /// The options that only affect the results. They have no effect on `--check`.
    private static let ofResults: [any AnyOption] = [
        days, from, through, sections, output, resume, retry,
    ]
    static let all: [any AnyOption] =
        ofResults + [
            AccountCheck.option, BatchOptions.rate, BatchOptions.wait, BatchOptions.quiet,
            BatchOptions.acceptUnreadable,
        ] + Access.requests + BatchOptions.forMany

    let batch: BatchOptions
    /// The name of the results as the user gave it, and the path that it stands for. Both are nil if the results go to
    /// standard output.
    let outputName: OutputName?
    var output: String?
    let resume: Bool
    /// The kinds of errors whose accounts are repeated, or `all`. If it is nil, the accounts with errors that may be
    /// temporary are repeated.
    let retried: Set<String>?
    let sections: Set<Section>
    var window: ExportDays

    /// The paths of all files that the run writes as results, including the record of the run.
    var files: [String] {
        guard let output else { return [] }
        return [output, output + RunRecord.suffix]
    }

    init(_ arguments: Arguments) throws {
        batch = try BatchOptions(arguments)
        outputName = try arguments[Self.output].flatMap { $0 == "-" ? nil : try OutputName($0) }
        sections = arguments[Self.sections] ?? Set(Section.allCases)
        resume = arguments[Self.resume]
        retried = arguments[Self.retry]
        let now = arguments.context.clock.now()
        window = ExportDays(
            count: try arguments.value(Self.days), first: arguments[Self.from], last: arguments[Self.through],
            began: now,
            today: ExistDay(now, in: arguments.context.timeZone))
        output = outputName?.path(on: window.today)
        if arguments[AccountCheck.option] {
            try AccountCheck.refuse(Self.ofResults + [BatchOptions.acceptUnreadable], in: arguments)
        }
        if arguments[Self.days] != nil, window.first != nil {
            throw UsageError("--days and --from both set the first day: omit one.")
        }
        if output == nil, resume || retried != nil { throw UsageError("--resume requires --output FILE.") }
        if !resume, retried != nil { throw UsageError("--retry requires --resume.") }
        if let first = window.first, let last = window.last, last < first {
            throw UsageError("--from is after --through: swap them.")
        }
    }

    /// Parses the names of sections. If the text names no section of a service, all sections of that service are
    /// included.
    private static func sections(_ text: String) throws -> Set<Section> {
        var wanted: Set<Section> = []
        for word in text.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            guard let section = Section(rawValue: word) else {
                let known = Section.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("There is no section “\(word)”. The sections are \(known).")
            }
            wanted.insert(section)
        }
        guard !wanted.isEmpty else { throw UsageError("--sections needs a section.") }
        let services = wanted.map(\.service)
        return wanted.union(Section.allCases.filter { !services.contains($0.service) })
    }
}
