import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeHTTP

/// A batch with progress, signals, a report, and an exit code.
struct BatchSession {
    let input: BatchInput
    let report: RunReport
    /// The number of accounts to process; nil if unknown.
    var toDo: Int?
    /// The accounts for which a service failed in the run before this one, which come last.
    var failedBefore: Set<HashKey> = []
    /// What the results of an earlier run say, by service.
    var before: [String: BatchTally] = [:]
    /// How to continue after an interruption.
    var advice = ""
    var isCheck = false

    /// Blocks until the batch is complete or cannot continue.
    ///
    /// - Parameter ending: Makes the results durable, and returns what to report about all results.
    func run(
        work: @escaping @Sendable (AccountSlot) -> Promise<BatchItem.Outcome>, ending: (BatchTally) throws -> LogEvent?
    ) throws -> Int32 {
        let (options, reporter, toDo) = (input.options, input.reporter, toDo)
        let sending = options.settings.makeTransport(requestsInFlight: options.rules.inFlight)
        let transport: any HTTPTransport =
            options.arguments[Access.verbose]
            ? RequestTrace(transport: sending, clock: options.context.clock) {
                reporter.say(LogEvent(name: "exchange", words: $0), always: true)
            } : sending
        let batch = BatchEngine(
            options.rules, over: transport, clock: options.context.clock,
            report: { notice, trouble in
                if case .probe = notice, !options.isLogJSON { return }
                reporter.say(LogEvent(notice, options.rules, trouble: trouble))
            })
        report.follow { [input, before] in
            var progress = batch.progress(toDo: toDo)
            // Figures cover the whole, so that resuming does not end an alarm about the earlier part.
            for (service, tally) in before { progress.tallies[service, default: BatchTally()].add(tally) }
            return (progress, input.skipped)
        }
        let interrupts = Interrupts(options.context.terminal.signals) { [input] in
            input.stop()
            batch.stop()
            reporter.say(
                LogEvent(
                    name: "interrupted",
                    words: "Finishing the requests in progress. Interrupt again to stop immediately."))
        }
        reporter.begin { LogEvent(batch.progress(toDo: toDo)) }
        // Observe signals during the ending, too.
        defer { interrupts.end() }
        let (code, whole): (ExitCode, BatchTally)
        do {
            var events: [LogEvent?] = []
            defer { reporter.end(events.compactMap(\.self)) }
            try batch.run(input.items(limits: options.limits, failedBefore: failedBefore, work)).wait()
            whole = before.values.reduce(into: batch.tally) { $0.add($1) }
            let last = try ending(whole)
            code = exitCode(whole)
            events = [closing(batch.tally, batch.progress(toDo: toDo), code), last]
        }
        // Reported even in quiet mode, because nothing else shows that a run lost items.
        if let event = LogEvent(unreadable: whole.unreadable) { reporter.say(event, always: true) }
        return code.rawValue
    }

    private func exitCode(_ whole: BatchTally) -> ExitCode {
        if input.isStopped { return .interrupted }
        if !whole.down.isEmpty { return .serviceDown }
        let hasFailed = whole.failed + input.skipped.badLines > 0
        if hasFailed, !input.options.arguments[BatchOptions.acceptErrors] { return .someFailed }
        return !whole.unreadable.isEmpty && !input.options.arguments[BatchOptions.acceptUnreadable]
            ? .partial : .allDone
    }

    private func closing(_ tally: BatchTally, _ progress: BatchProgress, _ code: ExitCode) -> LogEvent {
        let (done, failed) = (progress.done, NumberText.grouped(progress.failed))
        var words = [
            isCheck
                ? "\(NumberText.grouped(done)) would work, \(failed) would fail."
                : "\(NumberText.counted(done, "account")) done and \(failed) failed in "
                    + "\(NumberText.duration(progress.elapsed)) (\(NumberText.rounded(progress.rate, decimals: 1)) a second)."
        ]
        let skipped = input.skipped
        if skipped.badLines > 0 {
            words.append("\(NumberText.counted(skipped.badLines, "line")) could not be read.")
        }
        if skipped.duplicates > 0 {
            let verb = skipped.duplicates == 1 ? "was" : "were"
            words.append("\(NumberText.counted(skipped.duplicates, "duplicate")) \(verb) skipped.")
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
