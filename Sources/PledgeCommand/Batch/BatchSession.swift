import Foundation
import Pledge
import PledgeBatch
import PledgeHTTP

/// A batch for an operator: with progress, signals, a report, and an exit code.
struct BatchSession {
    enum ExitCode: Int32 {
        case allDone = 0
        case someFailed = 2
        case serviceDown = 3
        /// Everything is done but for items that could not be read.
        case partial = 4
        case interrupted = 130
    }

    let options: BatchOptions
    let input: BatchInput
    let report: RunReport
    /// The accounts to skip, and the number of accounts to do; nil if unknown.
    var done: Set<HashKey> = []
    /// The servers of the results that are continued; nil if there are none.
    var servers: BatchServers?
    var toDo: Int?
    /// The number of accounts with an error from an earlier run.
    var failedBefore = 0
    /// The number of items that an earlier run could not read.
    var unreadableBefore = 0
    /// How to continue after an interruption.
    var advice = ""
    /// Whether it is only a check.
    var isCheck = false

    /// Blocks until everything is done, or the batch cannot continue.
    ///
    /// - Parameter ending: Makes the results durable, and returns what to report about them.
    func run(
        work: @escaping AccountJobs.Work, ending: (BatchTally) throws -> LogEvent?
    ) throws -> Int32 {
        let reporter = input.reporter
        let sending = StandardTransport(options.transport, requestsInFlight: options.rules.inFlight)
        let transport: any HTTPTransport =
            options.isVerbose
            ? RequestTrace(sending, clock: options.context.clock) {
                reporter.say(LogEvent(name: "exchange", words: $0), always: true)
            } : sending
        let jobs = AccountJobs(
            reader: input.reader(done: done, servers: servers), limits: BatchClients.limits(options.rate), work: work)
        let batch = BatchEngine(
            options.rules, over: transport, clock: options.context.clock,
            report: { [options] notice, trouble in
                if case .probe = notice, !options.isLogJSON { return }
                reporter.say(LogEvent(notice, options.rules, trouble: trouble))
            })
        let toDo = toDo
        report.follow { [input] in (batch.progress(toDo: toDo), input.skipped) }
        let interrupts = Interrupts(options.context.terminal.signals) { [input] in
            batch.stop()
            input.stop()
            reporter.say(
                LogEvent(
                    name: "interrupted",
                    words: "Finishing the requests in progress. Interrupt again to stop immediately."))
        }
        reporter.begin { batch.progress(toDo: toDo) }
        // Also while the ending is written.
        defer { withExtendedLifetime(interrupts) {} }
        var last: LogEvent?
        let outcome = Result {
            try batch.run(jobs.next).wait()
            last = try ending(batch.tally)
        }
        let tally = batch.tally
        let code = exitCode(tally, interrupts.isReceived || input.isStopped)
        let hasEnded = (try? outcome.get()) != nil
        reporter.end(hasEnded ? [closing(tally, batch.progress(toDo: toDo), code), last].compactMap(\.self) : [])
        // Also in quiet mode: nothing else would tell that a run which did its work has lost some of it.
        if hasEnded, let event = LogEvent(unreadable: tally.unreadable, before: unreadableBefore) {
            reporter.say(event, always: true)
        }
        try outcome.get()
        return code.rawValue
    }

    private func exitCode(_ tally: BatchTally, _ isInterrupted: Bool) -> ExitCode {
        if isInterrupted { return .interrupted }
        if !tally.down.isEmpty { return .serviceDown }
        let hasFailed = failedBefore + tally.failed + input.skipped.badLines > 0
        if hasFailed, !options.acceptsErrors { return .someFailed }
        let isPartial = !tally.unreadable.isEmpty || unreadableBefore > 0
        return isPartial && !options.acceptsUnreadable ? .partial : .allDone
    }

    private func closing(_ tally: BatchTally, _ progress: BatchProgress, _ code: ExitCode) -> LogEvent {
        var words = [isCheck ? progress.outlook : progress.summary]
        let skipped = input.skipped
        if skipped.badLines > 0 {
            words.append("\(BatchProgress.counted(skipped.badLines, "line")) could not be read.")
        }
        if skipped.duplicates > 0 {
            let verb = skipped.duplicates == 1 ? "was" : "were"
            words.append("\(BatchProgress.counted(skipped.duplicates, "duplicate")) \(verb) skipped.")
        }
        let names = tally.down.map(AccountID.Service.title(of:)).joined(separator: " and ")
        let reason = [
            .interrupted: "interrupted",
            .serviceDown: "stopped because \(names) \(tally.down.count == 1 ? "is" : "are") down",
        ][code]
        if let reason { words.append("It was \(reason)\(advice.isEmpty ? "." : ": \(advice)")") }
        return LogEvent(
            name: "end", words: words.joined(separator: " "),
            facts: [
                "exit": .integer(Int(code.rawValue)), "done": .integer(tally.done), "failed": .integer(tally.failed),
                "left": .integer(tally.left),
            ])
    }
}

extension BatchOptions {
    /// Reports the progress of the batch, and problems of its input before, on standard error.
    var reporter: ProgressReporter {
        let terminal = context.terminal
        return ProgressReporter(
            isQuiet: quiet, isLogJSON ? .json : terminal.tellsPerson ? .terminal : .log, width: terminal.noticeWidth,
            clock: context.clock, write: { terminal.tell($0) })
    }
}
