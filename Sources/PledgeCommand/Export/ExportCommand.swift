import ExistKit
import Foundation
import PledgeFiles

/// `pledge export`: reads accounts, fetches the data of several at a time, and writes a line for each.
struct ExportCommand {
    var options: ExportOptions

    func run() throws -> Int32 {
        // A closed pipe is an error when writing, instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let clients = try BatchClients(options.batch)
        let input = try BatchInput(options.batch)
        try options.batch.checkFiles(input, results: options.files, named: "--output")
        let accounts = try input.survey()
        if options.isCheck { return try AccountCheck(options: options, clients: clients).run(input, accounts) }
        let start = try start(clients, accounts, input.servers)
        tell(start, input.reporter)

        var options = options
        options.window = start.window
        let export = AccountExport(clients: clients, options: options)
        let writer = ResultWriter(start.file)
        var session = BatchSession(options: options.batch, input: input, done: start.done, servers: start.servers)
        session.toDo = accounts.map { $0.count - (start.done.count - start.strangers) }
        session.failedBefore = start.failed
        session.advice = options.output == nil ? "" : "continue with --resume."
        return try session.run(
            work: { slot in
                export.draft(slot).then(on: nil) { draft, outcome in
                    writer.write(draft).map(on: nil) { outcome }
                }
            },
            ending: { tally in
                // Its reader may have moved it since the last line.
                try start.file.checkPlace()
                return LogEvent(
                    errors: tally.errors.merging(start.failedBefore, uniquingKeysWith: +), options.next)
            })
    }

    private func start(
        _ clients: BatchClients, _ accounts: Set<AccountKey>?, _ servers: BatchServers
    ) throws -> ExportStart {
        guard let path = options.output else {
            return ExportStart(SystemFile(STDOUT_FILENO, named: "standard output", closes: false), options)
        }
        guard !OutputPath.isStream(path) else { return ExportStart(try SystemFile(stream: path), options) }
        return try ExportStart(
            at: OutputPath(path), options, RunRecord(options, clients), accounts: accounts, servers: servers)
    }

    private func tell(_ start: ExportStart, _ reporter: ProgressReporter) {
        guard !start.done.isEmpty || start.retried > 0 else { return }
        var words =
            "Resuming after \(Progress.counted(start.done.count, "account")) that \(start.file.name) already has."
        if start.retried > 0 { words += " Repeating \(Progress.counted(start.retried, "account")) that failed." }
        if start.failed > 0 {
            words += " \(Progress.grouped(start.failed)) of them failed; --retry all repeats them."
        }
        if start.unretried > 0 {
            words += " If the accounts were in a file, \(Progress.grouped(start.unretried)) would be repeated now."
        }
        if start.strangers > 0 {
            words += " \(Progress.grouped(start.strangers)) of them are not in the input, and stay unchanged."
        }
        reporter.say(
            LogEvent(
                name: "resumed", words: words,
                facts: [
                    "done": .integer(start.done.count), "failed": .integer(start.failed),
                    "retried": .integer(start.retried), "strangers": .integer(start.strangers),
                ]))
    }
}

extension ExportOptions {
    /// Returns a sentence with the command that retries accounts with such errors; empty if there is none.
    func next(_ kinds: [String]) -> String {
        guard output != nil, batch.input != nil else { return "" }
        var (words, rest) = (["pledge", "export"], arguments[...])
        while let word = rest.popFirst() {
            if word == "--retry" { rest = rest.dropFirst() }
            if word != "--retry", !word.hasPrefix("--retry="), word != "--resume", word != "--adopt" {
                words.append(word)
            }
        }
        return " To repeat them: "
            + (words + ["--resume", "--retry", kinds.sorted().joined(separator: ",")]).map(Self.quoted)
            .joined(separator: " ")
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy {
            $0.isASCII && $0.properties.isAlphabetic || "0123456789-_./,=:+@%".unicodeScalars.contains($0)
        }
        return isPlain && !word.isEmpty ? word : Completions.quoted(word)
    }
}
