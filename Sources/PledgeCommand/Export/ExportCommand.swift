import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// `pledge export`: reads accounts, fetches their data concurrently, and writes a line for each.
struct ExportCommand {
    var options: ExportOptions

    func run() throws -> Int32 {
        try options.batch.checkFiles(results: options.files, named: "--output")
        return try RunReport("export", options.batch).during(run)
    }

    private func run(_ report: RunReport) throws -> Int32 {
        var options = options
        let input = try BatchInput(options.batch)
        let accounts = try input.survey()
        if options.batch.arguments[AccountCheck.option] {
            return try AccountCheck.run(input, accounts, report)
        }
        let failedBefore = options.failedBefore()
        var start = try Self.start(options, accounts, input.servers)
        tell(start, input.reporter)

        options.window = start.window
        let export = AccountExport(options: options, reporter: input.reporter)
        let writer = LineWriter<LineBuffer> { [lines = start.lines] in try lines.append($0) }
        input.begin(done: start.done, servers: start.servers)
        var session = BatchSession(input: input, report: report)
        session.toDo = accounts.map { $0.count - (start.done.count - start.unknown) }
        session.failedBefore = failedBefore.union(start.failedBefore)
        session.before = start.earlier.tallies
        session.advice = options.output == nil ? "" : "continue with --resume."
        let left = Locked(0)
        let code = try session.run(
            work: { slot in
                export.line(of: slot).then(on: nil) { line, outcome in
                    writer.write(line).map(on: nil) { outcome }
                }
            },
            ending: { [options, start] whole in
                // A consumer may have moved the file since the last line.
                try start.lines.checkLocation()
                left.withLock { $0 = whole.left }
                return LogEvent(errors: whole.errors, options.next)
            })
        // A run in which every account has a line is over, even if a service was down in the end: otherwise, accounts
        // that always fail would keep the next run from starting.
        let ending = ExitCode(rawValue: code)
        if ending != .interrupted, ending != .serviceDown || left.withLock(\.self) == 0 {
            try start.save(isFinished: true)
        }
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

    private func tell(_ start: ExportStart, _ reporter: ProgressReporter) {
        if options.batch.context.clock.now().timeIntervalSince(start.window.began) > 86_400 {
            reporter.say(
                LogEvent(
                    name: "old-run",
                    words:
                        "\(start.lines.name) is a run that began on \(start.window.today), and requests the days of then."
                        + (options.outputName?.hasDay == true
                            ? "" : " With %F in the name, a finished run would be followed by a new one."),
                    facts: ["began": .string(Timestamp.text(start.window.began))]))
        }
        guard !start.done.isEmpty || start.retried > 0 else { return }
        var words =
            "Resuming after \(NumberText.counted(start.done.count, "account")) that \(start.lines.name) already has."
        if start.retried > 0 { words += " Repeating \(NumberText.counted(start.retried, "account")) that failed." }
        let failed = start.earlier.failures.count
        if failed > 0 { words += " \(NumberText.grouped(failed)) of them failed; --retry all repeats them." }
        if start.unretried > 0 {
            words += " If the accounts were in a file, \(NumberText.grouped(start.unretried)) would be repeated now."
        }
        if start.unknown > 0 {
            words += " \(NumberText.grouped(start.unknown)) of them are not in the input, and stay unchanged."
        }
        reporter.say(
            LogEvent(
                name: "resumed", words: words,
                facts: [
                    "done": .integer(start.done.count), "failed": .integer(failed),
                    "retried": .integer(start.retried), "unknown": .integer(start.unknown),
                ]))
    }
}

extension ExportOptions {
    /// Returns a sentence with the options that retry these errors; empty if none can be retried.
    func next(_ kinds: [String]) -> String {
        guard let output, batch.input != nil else { return "" }
        // The name of this run's file, even if its pattern names another today.
        return
            " Repeat them with --output \(OutputName.quoted(output)) --resume --retry \(kinds.sorted().joined(separator: ","))."
    }
}
