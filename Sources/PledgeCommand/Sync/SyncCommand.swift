import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch
import PledgeCoding
import PledgeHistory

struct SyncCommand {
    var options: SyncRequest

    func run() throws -> Int32 {
        if options.hasAccounts {
            // SQLite creates further files next to it.
            let files = ["", "-wal", "-shm", "-journal", "-claim"].map { options.database + $0 }
            try options.batch.checkFiles(results: files, named: "--database")
            return try RunReport("sync", options.batch).during(run)
        }
        let syncs = try sources()
        let history = try options.history()
        defer { history.close() }
        let current = Locked<Promise<SyncSummary>?>(nil)
        let interrupts = Interrupts(options.batch.context.terminal.signals) {
            current.withLock { $0 }?.cancel()
            history.interrupt()
        }
        defer { interrupts.end() }
        var (failures, hasGaps, isPartial) = (0, false, false)
        for source in syncs where !interrupts.isReceived {
            let work = source.begin(history)
            current.withLock { $0 = work }
            if interrupts.isReceived { work.cancel() }
            let outcome = Result { try work.wait() }
            source.reporter.end([])
            do {
                let summary = try outcome.get()
                (summary.notes + [LogEvent(unreadable: summary.unreadable)?.words].compactMap(\.self)).forEach(
                    source.say)
                if !options.batch.arguments[BatchOptions.quiet] { source.say("\(summary).") }
                hasGaps = hasGaps || !summary.gaps.isEmpty
                isPartial = isPartial || !summary.unreadable.isEmpty
            } catch let error where error.isCancelled || interrupts.isReceived {
                break
            } catch let error as DatabaseError {
                throw error
            } catch {
                failures += 1
                source.say("\(error)")
            }
        }
        if interrupts.isReceived {
            options.batch.context.terminal.tell(
                "\(options.database) has the data received so far; the next run continues from there.")
            return BatchSession.ExitCode.interrupted.rawValue
        }
        if failures > 0 || hasGaps { return failures < syncs.count ? 2 : 1 }
        let accepts = options.batch.arguments[BatchOptions.acceptUnreadable]
        return isPartial && !accepts ? BatchSession.ExitCode.partial.rawValue : 0
    }

    private func run(_ report: RunReport) throws -> Int32 {
        let input = try BatchInput(options.batch)
        var accounts = try options.survey(input)
        let isCheck = options.batch.arguments[AccountCheck.option]
        let history = isCheck && options.retried == nil ? nil : try options.history()
        defer { history?.close() }
        if let retried = try history.flatMap({ try options.retried(in: $0) }) {
            input.begin(only: options.named?.intersection(retried) ?? retried)
            accounts = accounts?.intersection(retried)
        }
        guard let history, !isCheck else {
            return try AccountCheck.run(input, accounts, report)
        }
        let sync = AccountSync(options: options.sync, history: history)
        var session = BatchSession(input: input, report: report)
        session.toDo = accounts?.count
        session.advice = "the same command goes on from here."
        return try session.run(work: { sync.run($0) }) { tally in
            LogEvent(errors: tally.errors, lists: tally.lists) { _ in " Which and why is in the table sync_run." }
        }
    }

    /// A fixed language, so that names of surveys do not depend on where the tool runs.
    private static let language = "en"

    private func sources() throws -> [Source] {
        let access = options.access
        for service in Access.Service.allCases where access.environment[service.tokenName] == nil {
            guard try access.storedProfile(service, isNeeded: false) == nil else { continue }
            try access.checkAddress(service)
        }
        let found = try sources { try access.credential($0, isNeeded: false) }
        guard found.isEmpty else { return found }
        // Report a problem with a requested profile before the demo starts.
        _ = try access.storedProfile(.exist)
        let demo = try access.beginDemo(.exist)
        return try sources(isDemo: true) { $0 == .exist ? demo : try access.demo($0) }
    }

    private func sources(isDemo: Bool = false, _ credential: (Access.Service) throws -> Credential?) throws -> [Source]
    {
        let (access, limits) = (options.access, options.batch.limits)
        let (suffix, name) = isDemo ? ("'s sandbox", DatabaseReport.demoAccount) : ("", nil)
        let exist = try source("Exist" + suffix, limit: isDemo ? nil : limits[.exist]) { adapt in
            try credential(.exist).map { access.exist($0, adapt) }
        } sync: {
            $0.sync($1, as: name, options: $2)
        }
        let participant = try source("MyDataHelps" + suffix, limit: limits[.mydatahelps]) { adapt in
            try credential(.mydatahelps).map { access.participant($0, language: Self.language, adapt) }
        } sync: {
            $0.sync($1, as: name, options: $2)
        }
        return [exist, participant].compactMap(\.self)
    }

    static func progress(_ title: String, left: Int, available: Int, limit: Int?) -> LogEvent {
        let hours = limit.map { Double(left - available) / Double($0) } ?? 0
        let wait = hours > 0 ? ", about \(NumberText.duration(hours * 3600)) at the service's limit" : ""
        let words = "\(title): this sync takes about \(NumberText.counted(left, "more request"))\(wait)."
        return LogEvent(name: "progress", words: words)
    }

    private struct Source {
        var title: String
        var reporter: ProgressReporter
        var begin: (History) -> Promise<SyncSummary>

        func say(_ words: String) {
            reporter.say(LogEvent(name: "sync", words: "\(title): \(words)"), always: true)
        }
    }

    /// - Parameters:
    ///   - limit: The hourly limit of requests, if the service does not report it.
    ///   - account: Finds the account; its client is adapted to syncing.
    private func source<Client>(
        _ title: String, limit: Int?, account: (Access.Adaptation) throws -> Account<Client>?,
        sync: @escaping (History, Client, SyncOptions) -> Promise<SyncSummary>
    ) rethrows -> Source? {
        let clock = options.batch.context.clock
        let limiter = RateLimiter(
            limit: limit ?? .max, clock: clock,
            waitingAtMost: options.batch.arguments[BatchOptions.wait] ?? .infinity)
        let found = try account { client in
            // Wait as long as a service specifies. Exist, whose limit is hourly, specifies no wait.
            client.retry = options.batch.rules.retry
            client.limiter = limiter
            client.advise = { [advise = client.advise] error in
                if case .limited = error.reason { return "Try again then, or allow a longer wait with --wait." }
                return advise(error)
            }
            client.meter = BudgetMeter(options.batch.settings.accountBudget, clock: client.clock)
            // The run records them and reports them at its end.
            client.onUnreadable = { _, _ in }
        }
        guard let client = found?.client else { return nil }
        let left = Locked<Int?>(nil)
        var syncing = options.sync
        syncing.now = clock.now
        syncing.onProgress = { requests in left.withLock { $0 = requests } }
        let reporter = ProgressReporter(options.batch)
        return Source(title: title, reporter: reporter) { [syncing] history in
            reporter.begin {
                left.withLock { $0 }.map { Self.progress(title, left: $0, available: limiter.available, limit: limit) }
            }
            return sync(history, client, syncing)
        }
    }
}
