import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding
import PledgeHistory

struct SyncCommand {
    var options: SyncCommandOptions

    func run() throws -> ExitCode {
        guard options.isForMany else { return try syncOwn() }
        // SQLite creates further files next to the database, so their names are checked as well.
        let files = ["", "-wal", "-shm", "-journal", "-claim"].map { options.database + $0 }
        try options.batch.checkFiles(results: files, named: "--database")
        return try MetricsFile("sync", options.batch).during(syncAccounts)
    }

    /// Syncs the user's own accounts, one after another.
    private func syncOwn() throws -> ExitCode {
        let accounts = try ownAccounts()
        let history = try options.history(ProgressReporter(options.batch))
        defer { history.close() }
        let current = Locked<Promise<SyncSummary>?>(nil)
        let interrupts = Interrupts(options.batch.context.terminal.signals) {
            current.withLock { $0 }?.cancel()
            history.interrupt()
        }
        defer { interrupts.end() }
        var summaries: [SyncSummary] = []
        var failures = 0
        for account in accounts where !interrupts.isReceived {
            let work = account.sync(history)
            current.withLock { $0 = work }
            if interrupts.isReceived { work.cancel() }
            let outcome = Result { try work.wait() }
            account.reporter.end([])
            do {
                let summary = try outcome.get()
                report(summary, of: account)
                summaries.append(summary)
            } catch let error where error.isCancelled || interrupts.isReceived {
                break
            } catch let error as DatabaseError {
                throw error
            } catch {
                failures += 1
                account.log("\(error)")
            }
        }
        if interrupts.isReceived {
            let terminal = options.batch.context.terminal
            if let (name, _, store) = try? options.access.storedProfile(.exist, isNeeded: false) {
                store.waitForRenewal(name) {
                    terminal.notify("Waiting for new tokens from Exist. Interrupt again to stop immediately.")
                }
            }
            terminal.notify(
                "\(options.database) has the data received so far; the next run continues from there.")
            return .interrupted
        }
        let hasGaps = summaries.contains { !$0.gaps.isEmpty }
        if failures > 0 || hasGaps { return failures < accounts.count ? .someFailed : .failure }
        let isPartial = summaries.contains { !$0.unreadable.isEmpty }
        let accepts = options.batch.arguments[BatchOptions.acceptUnreadable]
        return isPartial && !accepts ? .partial : .success
    }

    private func report(_ summary: SyncSummary, of account: OwnAccount) {
        for note in summary.notes { account.log(note) }
        if let event = LogEvent(unreadable: summary.unreadable) { account.log(event.text) }
        if !options.batch.arguments[BatchOptions.quiet] { account.log("\(summary).") }
    }

    /// Syncs the accounts of an input.
    private func syncAccounts(_ metrics: MetricsFile) throws -> ExitCode {
        let input = try BatchInput(options.batch)
        var accounts = try options.survey(input)
        let isCheck = options.batch.arguments[AccountCheck.option]
        let history = isCheck && options.retriedKinds == nil ? nil : try options.history(input.reporter)
        defer { history?.close() }
        if let retried = try history.flatMap({ try options.retried(in: $0) }) {
            input.begin(only: options.named?.intersection(retried) ?? retried)
            accounts = accounts?.intersection(retried)
        }
        guard let history, !isCheck else {
            return try AccountCheck.run(input, accounts)
        }
        let sync = AccountSync(options: options.sync, history: history)
        var session = BatchSession(input: input, metrics: metrics)
        session.toDo = accounts?.count
        session.failedBefore = try SyncCommandOptions.failedBefore(in: history)
        session.advice = "the same command continues from here."
        return try session.run(work: { sync.run($0) }) { tally in
            LogEvent(
                errors: tally.errors, lists: tally.lists, advice: "The table sync_run says which accounts, and why.")
        }.code
    }

    /// Returns the user's own accounts, or with `--demo` those of the sandbox. Throws a usage error if there are none.
    private func ownAccounts() throws -> [OwnAccount] {
        let access = options.access
        guard !access.arguments[Access.demo] else {
            let exist = try access.beginDemo(.exist)
            return [account(.exist, exist), account(.mydatahelps, try access.demo(.mydatahelps))]
        }
        for service in Access.Service.allCases where access.environment[service.tokenName] == nil {
            guard try access.storedProfile(service, isNeeded: false) == nil else { continue }
            try access.checkAddress(service)
        }
        let found = try Access.Service.allCases.compactMap { service in
            try access.credential(service, isNeeded: false).map { account(service, $0) }
        }
        guard found.isEmpty else { return found }
        // If the user named a profile that does not exist, the error is about that profile.
        _ = try access.storedProfile(.exist)
        throw access.noAccount(.exist)
    }

    static func progress(_ title: String, left: Int, available: Int, limit: Int?) -> LogEvent {
        let hours = limit.map { Double(left - available) / Double($0) } ?? 0
        let wait = hours > 0 ? ", about \(NumberText.duration(hours * 3600)) at the service's limit" : ""
        let text = "\(title): this sync takes about \(NumberText.counted(left, "more request"))\(wait)."
        return LogEvent(name: "progress", text: text)
    }

    /// One of the user's own accounts.
    private struct OwnAccount {
        var title: String
        var reporter: ProgressReporter
        /// Begins to sync the account.
        var sync: (History) -> Promise<SyncSummary>

        func log(_ text: String) {
            reporter.log(LogEvent(name: "sync", text: "\(title): \(text)"), always: true)
        }
    }

    private func account(_ service: Access.Service, _ credential: Credential) -> OwnAccount {
        let access = options.access
        let clock = options.batch.context.clock
        let title = service.title + (credential.isDemo ? "'s sandbox" : "")
        let name = credential.isDemo ? DatabaseReport.demoAccount : nil
        // The number of requests per hour; nil if the service reports its own limit.
        let limit = credential.isDemo && service == .exist ? nil : options.batch.limits[service]
        let limiter = RateLimiter(
            limit: limit, clock: clock,
            waitingAtMost: options.batch.arguments[BatchOptions.wait] ?? .infinity)
        let reporter = ProgressReporter(options.batch)
        let adapt: Access.Adaptation = { client in
            client.waitForLimits(with: limiter, options.batch.rules, options.batch.settings)
            client.onWait = WaitNotice(service.title, clock) { reporter.log(LogEvent(name: "wait", text: $0)) }.announce
            // The sync itself records items that could not be read, and reports them at its end.
            client.onUnreadable = { _, _ in }
        }
        let left = Locked<Int?>(nil)
        var syncing = options.sync
        syncing.now = clock.now
        syncing.onProgress = { requests in left.withLock { $0 = requests } }
        let sync: (History) -> Promise<SyncSummary>
        switch service {
        case .exist:
            let existAPI = access.exist(credential, adapt).client
            sync = { [syncing] in $0.sync(existAPI, as: name, options: syncing) }
        case .mydatahelps:
            // The language is always English, so that the names of surveys do not depend on the settings of the
            // machine.
            let session = access.participant(credential, language: "en", adapt).client
            sync = { [syncing] in $0.sync(session, as: name, options: syncing) }
        }
        return OwnAccount(title: title, reporter: reporter) { history in
            reporter.begin {
                left.withLock { $0 }.map { Self.progress(title, left: $0, available: limiter.available, limit: limit) }
            }
            return sync(history)
        }
    }
}

extension SyncCommand {
    static let command = Command(
        name: "sync", summary: "keep a SQLite database of your data up to date", part: .reading,
        operands: .init(form: "FILE.db | accounts.jsonl --database FILE.db", count: 0...1, completes: .files),
        options: SyncCommandOptions.all,
        examples: [
            "pledge sync tracking.db": "fetches the whole history the first time, then what may have changed",
            "pledge sync accounts.jsonl --database study.db":
                "the data of many accounts; see pledge help export for the format",
        ],
        notes: [
            .init(
                title: "DATABASE",
                text: """
                    sqlite3 -header tracking.db "SELECT * FROM latest" shows the latest values; other views are daily and
                    weekly. The article “Tables” of PledgeHistory describes every table.
                    """),
            .init(
                title: "RUNS",
                text: """
                    You can interrupt a run at any time: the next run resumes there. A run syncs the accounts of EXIST_TOKEN and
                    MYDATAHELPS_TOKEN, or those that “pledge login” stored, of one service or both. With --demo, it stores
                    the data of the built-in sandbox as the account “sandbox”. “pledge report --database” shows the data.
                    Without --wait, a run for your own account waits for the service's limit as long as necessary.
                    """),
            .init(
                title: "EXIT CODES",
                text: """
                    0  everything is up to date
                    1  the run could not continue
                    2  some accounts failed, or some of their lists
                    3  a service is down
                    4  everything is up to date, except for items that could not be read
                    64  invalid command line, or input without accounts
                    130  interrupted
                    """),
        ]
    ) { arguments in
        try SyncCommand(options: SyncCommandOptions(arguments)).run()
    }
}
