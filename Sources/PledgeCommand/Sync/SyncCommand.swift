import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeHistory

/// `pledge sync`: brings a database of your own data up to date.
struct SyncCommand {
    var options: SyncRequest

    func run() throws -> Int32 {
        if options.hasAccounts {
            // SQLite creates further files next to it.
            let files = ["", "-wal", "-shm", "-journal", "-claim"].map { options.database + $0 }
            try options.batch.checkFiles(results: files, named: "--database")
            let isCheck = options.batch.arguments[AccountCheck.option]
            return try RunReport(isCheck ? "check" : "sync", options.batch).during(run)
        }
        let syncs = try sources()
        let history = try options.history()
        defer { history.close() }
        let current = Locked<Promise<SyncSummary>?>(nil)
        let terminal = options.batch.context.terminal
        let interrupts = Interrupts(terminal.signals) {
            current.withLock { $0 }?.cancel()
            history.interrupt()
        }
        var (failures, gaps, isPartial) = (0, 0, false)
        for source in syncs where !interrupts.isReceived {
            let (progress, work) = (source.progress, source.begin(history))
            current.withLock { $0 = work }
            if interrupts.isReceived { work.cancel() }
            do {
                let summary = try work.wait()
                progress.end(summary)
                if !summary.gaps.isEmpty { gaps += 1 }
                isPartial = isPartial || !summary.unreadable.isEmpty
            } catch let error where error.isCancelled || interrupts.isReceived {
                break
            } catch let error as DatabaseError {
                throw error
            } catch {
                failures += 1
                progress.say("\(error)")
            }
        }
        if interrupts.isReceived {
            terminal.tell("\(options.database) has the data received so far; the next run continues from there.")
            return BatchSession.ExitCode.interrupted.rawValue
        }
        if failures + gaps > 0 { return failures < syncs.count ? 2 : 1 }
        let accepts = options.batch.arguments[BatchOptions.acceptUnreadable]
        return isPartial && !accepts ? BatchSession.ExitCode.partial.rawValue : 0
    }

    /// Syncs many accounts.
    private func run(_ report: RunReport) throws -> Int32 {
        let clients = try BatchClients(options.batch)
        let input = try BatchInput(options.batch)
        let accounts = try options.survey(input)
        if options.batch.arguments[AccountCheck.option], options.retried == nil {
            return try AccountCheck(options: options.batch, clients: clients).run(input, accounts, report)
        }
        let history = try options.history()
        defer { history.close() }
        return try AccountsSync(options: options, clients: clients, history: history).run(input, accounts, report)
    }

    /// The names of surveys should not depend on where the tool runs.
    private static let language = "en"

    private func sources() throws -> [Source] {
        let access = options.access
        for service in Access.Service.allCases where access.environment[service.tokenName] == nil {
            guard try access.storedProfile(service, isNeeded: false) == nil else { continue }
            try access.checkAddress(service)
        }
        let limits = BatchClients.limits(options.batch)
        let found = [
            try source(
                "Exist", limit: limits[.exist], account: { try access.existAccount(isNeeded: false, $0) },
                sync: { $0.sync($1, options: $2) }),
            try source(
                "MyDataHelps", limit: limits[.mydatahelps],
                account: { try access.participantAccount(isNeeded: false, language: Self.language, $0) },
                sync: { $0.sync($1, options: $2) }),
        ].compactMap(\.self)
        guard found.isEmpty else { return found }
        // Reports a problem with a requested profile before the demo begins.
        _ = try access.storedProfile(.exist)
        try access.beginDemo(.exist)
        return [
            try source(
                "Exist's sandbox", limit: nil, account: { try access.existDemo($0) },
                sync: { $0.sync($1, as: DatabaseReport.demoAccount, options: $2) }),
            try source(
                "MyDataHelps's sandbox", limit: limits[.mydatahelps],
                account: { try access.participantDemo(language: Self.language, $0) },
                sync: { $0.sync($1, as: DatabaseReport.demoAccount, options: $2) }),
        ].compactMap(\.self)
    }

    /// An account to sync, of either service.
    private struct Source {
        var progress: SyncProgress
        var begin: (History) -> Promise<SyncSummary>
    }

    /// - Parameters:
    ///   - limit: The number of requests per hour that the service allows, if it does not announce it.
    ///   - account: Finds the account; its client is adapted to syncing.
    private func source<Client>(
        _ title: String, limit: Int?, account: (Access.Adaptation) throws -> Account<Client>?,
        sync: @escaping (History, Client, SyncOptions) -> Promise<SyncSummary>
    ) rethrows -> Source? {
        let context = options.batch.context
        let arguments = options.batch.arguments
        let progress = SyncProgress(title, isQuiet: arguments[BatchOptions.quiet], context.terminal)
        var syncing = options.sync
        let requests = RequestCount()
        syncing.requests = requests
        let limiter = RateLimiter(
            limit: limit ?? .max, clock: context.clock, waitingAtMost: arguments[BatchOptions.wait] ?? .infinity)
        let found = try account { client in
            client.transport = requests.counting(client.transport)
            // Waits as long as a service specifies. Exist, whose limit is per hour, does not specify it.
            client.retry = options.batch.rules.retry
            client.limiter = limiter
            client.advise = { [advise = client.advise] error in
                if case .limited = error.reason { return "Try again then, or allow a longer wait with --wait." }
                return advise(error)
            }
            client.meter = BudgetMeter(options.batch.settings.accountBudget, clock: client.clock)
            // The run notes them and reports them at its end.
            client.onUnreadable = { _, _ in }
        }
        guard let client = found?.client else { return nil }
        syncing.now = context.clock.now
        syncing.onProgress = { left in
            let hours = limit.map { Double(max(0, left - limiter.available)) / Double($0) } ?? 0
            progress.update(left, hours: hours)
        }
        return Source(progress: progress) { [syncing] in sync($0, client, syncing) }
    }
}
