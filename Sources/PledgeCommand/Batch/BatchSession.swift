import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeHTTP

/// A run of a batch of accounts. It shows the progress, handles signals, provides metrics, and returns an exit code.
struct BatchSession {
    let input: BatchInput
    var metrics: MetricsFile?
    /// The number of accounts to process; nil if unknown.
    var toDo: Int?
    /// The accounts for which a service failed in the previous run. The batch processes them last.
    var failedBefore: Set<HashKey> = []
    /// The counts of an earlier run's results, by service, if this run continues these results.
    var earlier: [String: BatchTally] = [:]
    /// A clause that says how to continue after an interruption; empty if there is nothing to say.
    var advice = ""
    var isCheck = false

    /// Runs the batch. Blocks until the batch is complete or cannot continue.
    ///
    /// - Parameters:
    ///   - work: Processes an account.
    ///   - ending: Called when the batch has ended. It receives the counts of all results, including those of an
    ///     earlier run. It returns an event to report at the end, if any.
    /// - Returns: The exit code, and the same counts.
    func run(
        work: @escaping @Sendable (RunningAccount) -> Promise<BatchItem.Outcome>,
        ending: (BatchTally) throws -> LogEvent?
    ) throws -> (code: ExitCode, whole: BatchTally) {
        let (options, reporter, toDo) = (input.options, input.reporter, toDo)
        let sending = options.settings.makeTransport(requestsInFlight: options.rules.inFlight)
        let transport: any HTTPTransport =
            options.arguments[Access.verbose]
            ? RequestTrace(transport: sending, clock: options.context.clock) {
                reporter.log(LogEvent(name: "exchange", text: $0), always: true)
            } : sending
        let batch = BatchEngine(
            options.rules, over: transport, clock: options.context.clock,
            report: { notice, trouble in
                if case .probe = notice, !options.isLogJSON { return }
                reporter.log(LogEvent(notice, options.rules, trouble: trouble))
            })
        metrics?.observe { [input, earlier] in
            var progress = batch.progress(toDo: toDo)
            // The metrics include the results of the earlier run that this run continues. Otherwise, continuing a run
            // would end an alarm about failures in the earlier run.
            for (service, tally) in earlier { progress.tallies[service, default: BatchTally()].add(tally) }
            return (progress, input.skipped)
        }
        let interrupts = Interrupts(options.context.terminal.signals) { [input] in
            input.stop()
            batch.stop()
            reporter.log(
                LogEvent(
                    name: "interrupted",
                    text: "Finishing the requests in progress. Interrupt again to stop immediately."))
        }
        reporter.begin { LogEvent(batch.progress(toDo: toDo)) }
        // Signals are handled until `ending` has returned.
        defer { interrupts.end() }
        let (code, whole): (ExitCode, BatchTally)
        do {
            var events: [LogEvent?] = []
            defer { reporter.end(events.compactMap(\.self)) }
            try batch.run(input.items(failedBefore: failedBefore, work)).wait()
            whole = earlier.values.reduce(into: batch.tally) { $0.add($1) }
            let last = try ending(whole)
            code = exitCode(whole)
            events = [closing(batch.progress(toDo: toDo), code), last]
        }
        // The event about unreadable items is reported even in quiet mode, because nothing else shows that the run lost
        // items.
        if let event = LogEvent(unreadable: whole.unreadable) { reporter.log(event, always: true) }
        return (code, whole)
    }

    private func exitCode(_ whole: BatchTally) -> ExitCode {
        if input.isStopped { return .interrupted }
        if !whole.down.isEmpty { return .serviceDown }
        let hasFailed = whole.failed + input.skipped.badLines > 0
        if hasFailed, !input.options.arguments[BatchOptions.acceptErrors] { return .someFailed }
        return !whole.unreadable.isEmpty && !input.options.arguments[BatchOptions.acceptUnreadable]
            ? .partial : .success
    }

    private func closing(_ progress: BatchProgress, _ code: ExitCode) -> LogEvent {
        let tally = progress.tally
        let failed = NumberText.grouped(tally.failed)
        var sentences = [
            isCheck
                ? "\(NumberText.grouped(tally.done)) would work, \(failed) would fail."
                : "\(NumberText.counted(tally.done, "account")) done and \(failed) failed in "
                    + "\(NumberText.duration(progress.elapsed)) (\(NumberText.rounded(progress.rate, decimals: 1)) a second)."
        ]
        let skipped = input.skipped
        if skipped.badLines > 0 {
            sentences.append("\(NumberText.counted(skipped.badLines, "line")) could not be read.")
        }
        if skipped.duplicates > 0 {
            let verb = skipped.duplicates == 1 ? "was" : "were"
            sentences.append("\(NumberText.counted(skipped.duplicates, "duplicate")) \(verb) skipped.")
        }
        let names = tally.down.map(AccountID.Service.title(of:)).joined(separator: " and ")
        let reason = [
            .interrupted: "interrupted",
            .serviceDown: "stopped because \(names) \(tally.down.count == 1 ? "is" : "are") down",
        ][code]
        if let reason { sentences.append("It was \(reason)\(advice.isEmpty ? "." : ": \(advice)")") }
        return LogEvent(
            name: "end", text: sentences.joined(separator: " "),
            facts: [
                "exit": .integer(Int(code.rawValue)), "done": .integer(tally.done), "failed": .integer(tally.failed),
                "given_up": .integer(tally.givenUp),
            ])
    }
}
