import ExistKit
import Foundation

/// One run from the first account to the summary.
final class ExportRun: Sendable {
    private struct State {
        var done = 0
        var failed = 0
        var badLines = 0
        var duplicates = 0
        var isInterrupted = false
        var slots: [ObjectIdentifier: AccountSlot] = [:]
    }

    private let options: ExportOptions
    private let clients: ExportClients
    private let reader: AccountReader
    private let writer: ResultWriter
    private let export: AccountExport
    private let reporter: ProgressReporter
    private let state: Locked<State>
    /// Accounts whose lines in the file say that an earlier run failed.
    private let failedBefore: Int

    init(
        _ options: ExportOptions, _ clients: ExportClients, _ lines: LineReader, inputSize: Int, _ file: ResultsFile,
        environment: [String: String]
    ) {
        self.options = options
        self.clients = clients
        export = AccountExport(clients: clients, options: options)
        writer = ResultWriter(file)
        let state = Locked(State())
        self.state = state
        // Whichever of the two speaks first, both are there.
        let speaker = Locked<ProgressReporter?>(nil)
        let reader = AccountReader(lines, done: file.done, shard: options.shard, environment: environment) { skipped in
            switch skipped {
            case .bad(let line):
                state.withLock { $0.badLines += 1 }
                speaker.withLock { $0 }?.say("\(line)")
            case .duplicate(let number, let id):
                state.withLock { $0.duplicates += 1 }
                speaker.withLock { $0 }?.say(
                    "Line \(number) was left out: \(id.service.rawValue) account “\(id.account.onOneLine)” came before."
                )
            }
        }
        self.reader = reader
        failedBefore = file.resumed.failed
        let (before, parts) = (file.resumed.succeeded + file.resumed.failed, options.shard?.count ?? 1)
        let begun = Date()
        reporter = ProgressReporter(isQuiet: options.quiet, isTerminal: isatty(STDERR_FILENO) == 1) {
            let position = reader.position
            return state.withLock { state in
                Progress(
                    done: state.done, failed: state.failed, waiting: state.slots.values.count { $0.isWaiting },
                    left: Progress.left(
                        position: (position.lines, position.bytes), size: inputSize, parts: parts,
                        settled: before + state.done + state.failed),
                    elapsed: Date().timeIntervalSince(begun))
            }
        }
        let reporter = reporter
        speaker.withLock { $0 = reporter }
        if before > 0, !options.quiet {
            let more =
                failedBefore > 0
                ? " \(Progress.grouped(failedBefore)) of them failed; with --retry-failed they are done again." : ""
            reporter.say("Going on after \(Progress.grouped(before)) accounts that \(file.name) has already." + more)
        }
    }

    /// Blocks until all is done, or cannot go on.
    func wait() throws -> ExportCommand.ExitCode {
        reporter.begin()
        do {
            _ = try when(fulfilled: Accounts(run: self), concurrently: options.inFlight).wait()
        } catch {
            reporter.end([])
            throw error
        }
        let state = state.withLock { $0 }
        var more: [String] = []
        if state.badLines > 0 { more.append("\(Progress.grouped(state.badLines)) lines could not be read.") }
        if state.duplicates > 0 { more.append("\(Progress.grouped(state.duplicates)) came twice, and were done once.") }
        if state.isInterrupted {
            more.append("It was interrupted" + (options.output == nil ? "." : ": --resume goes on from here."))
        }
        reporter.end(more)
        if state.isInterrupted { return .interrupted }
        return failedBefore + state.failed + state.badLines > 0 ? .someFailed : .allDone
    }

    /// Begins no other account, and gives up those that wait for a limit.
    func interrupt() {
        reader.stop()
        let slots = state.withLock { state in
            state.isInterrupted = true
            return Array(state.slots.values)
        }
        if !options.quiet { reporter.say("Finishing what is under way. Interrupt again to stop at once.") }
        slots.forEach { $0.doNotWait() }
    }

    /// Makes promises for accounts for as long as there are any.
    private struct Accounts: IteratorProtocol, Sendable {
        let run: ExportRun

        func next() -> Promise<Void>? {
            run.reader.isAtEnd ? nil : run.next()
        }
    }

    /// The next account, from the line it stands in to the line it comes to.
    private func next() -> Promise<Void> {
        reader.next().then(on: .pledge) { account -> Promise<Void> in
            guard let account else { return Promise() }
            return self.work(on: account)
        }
    }

    private func work(on account: AccountLine) -> Promise<Void> {
        let slot = clients.slot(for: account)
        let work = export.draft(of: account, slot)
        let isLate = state.withLock { state in
            state.slots[ObjectIdentifier(slot)] = slot
            return state.isInterrupted
        }
        slot.begin { work.cancel() }
        if isLate { slot.doNotWait() }
        return work.then(on: .pledge) { draft, isError -> Promise<Void> in
            self.writer.write(draft).done(on: .pledge) {
                self.state.withLock { if isError { $0.failed += 1 } else { $0.done += 1 } }
            }
        }.recover(on: .pledge, policy: .allErrors) { error -> Promise<Void> in
            // Given up, and so without a line: a resumed run does it.
            guard error.isCancelled else { throw error }
            return Promise()
        }.ensure(on: .pledge) {
            self.state.withLock { _ = $0.slots.removeValue(forKey: ObjectIdentifier(slot)) }
        }
    }
}
