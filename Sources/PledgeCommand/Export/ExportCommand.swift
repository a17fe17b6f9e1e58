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
