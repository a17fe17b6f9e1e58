import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch
import PledgeCoding
import PledgeHTTP
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
        let syncs = try sources()
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
        for source in syncs where !interrupts.isReceived {
            let work = source.begin(history)
            current.withLock { $0 = work }
            if interrupts.isReceived { work.cancel() }
            let outcome = Result { try work.wait() }
            source.reporter.end([])
            do {
                let summary = try outcome.get()
                report(summary, of: source)
                summaries.append(summary)
            } catch let error where error.isCancelled || interrupts.isReceived {
                break
            } catch let error as DatabaseError {
                throw error
            } catch {
                failures += 1
                source.log("\(error)")
            }
        }
        if interrupts.isReceived {
            options.batch.context.terminal.notify(
                "\(options.database) has the data received so far; the next run continues from there.")
            return .interrupted
        }
        let hasGaps = summaries.contains { !$0.gaps.isEmpty }
        if failures > 0 || hasGaps { return failures < syncs.count ? .someFailed : .failure }
        let isPartial = summaries.contains { !$0.unreadable.isEmpty }
        let accepts = options.batch.arguments[BatchOptions.acceptUnreadable]
        return isPartial && !accepts ? .partial : .success
    }

    private func report(_ summary: SyncSummary, of source: Source) {
        for note in summary.notes { source.log(note) }
        if let event = LogEvent(unreadable: summary.unreadable) { source.log(event.text) }
        if !options.batch.arguments[BatchOptions.quiet] { source.log("\(summary).") }
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

    private func sources() throws -> [Source] {
        let access = options.access
        guard !access.arguments[Access.demo] else { return try demo() }
        for service in Access.Service.allCases where access.environment[service.tokenName] == nil {
            guard try access.storedProfile(service, isNeeded: false) == nil else { continue }
            try access.checkAddress(service)
        }
        let found = try Access.Service.allCases.compactMap { service in
            try access.credential(service, isNeeded: false).map { source(service, $0) }
        }
        guard found.isEmpty else { return found }
        // If the user requested a profile that does not exist, throws an error about this profile. Otherwise, the demo
        // is used.
        _ = try access.storedProfile(.exist)
        return try demo()
    }

    private func demo() throws -> [Source] {
        let access = options.access
        return [source(.exist, try access.beginDemo(.exist)), source(.mydatahelps, try access.demo(.mydatahelps))]
    }

    static func progress(_ title: String, left: Int, available: Int, limit: Int?) -> LogEvent {
        let hours = limit.map { Double(left - available) / Double($0) } ?? 0
        let wait = hours > 0 ? ", about \(NumberText.duration(hours * 3600)) at the service's limit" : ""
        let text = "\(title): this sync takes about \(NumberText.counted(left, "more request"))\(wait)."
        return LogEvent(name: "progress", text: text)
    }

    private struct Source {
        var title: String
        var reporter: ProgressReporter
        var begin: (History) -> Promise<SyncSummary>

        func log(_ text: String) {
            reporter.log(LogEvent(name: "sync", text: "\(title): \(text)"), always: true)
        }
    }

    private func source(_ service: Access.Service, _ credential: Credential) -> Source {
        let access = options.access
        let clock = options.batch.context.clock
        let title = service.title + (credential.isDemo ? "'s sandbox" : "")
        let name = credential.isDemo ? DatabaseReport.demoAccount : nil
        // The number of requests per hour; nil if the service reports its own limit.
        let limit = credential.isDemo && service == .exist ? nil : options.batch.limits[service]
        let limiter = RateLimiter(
            limit: limit ?? .max, per: 3600, clock: clock,
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
        return Source(title: title, reporter: reporter) { history in
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

/// Syncs one account of `pledge sync accounts.jsonl --database study.db`.
struct AccountSync: Sendable {
    let options: SyncOptions
    let history: History

    /// Syncs an account, and returns the outcome.
    ///
    /// - Rejects: If the sync is canceled, or with a database error, after which the batch cannot continue. After any
    ///   other error, the promise is fulfilled with an outcome that contains the kind of the error.
    func run(_ account: RunningAccount) -> Promise<BatchItem.Outcome> {
        var sync = options
        sync.isStopped = { account.slot.isStopped }
        sync.now = { account.slot.now }
        sync.address = account.line.address?.redacted
        sync.describe = { account.error($0).message }
        sync.kind = { account.error($0).kind }
        let name = account.line.id.account
        // The sync itself records items that could not be read, so the clients are created without a closure for them.
        let summary =
            switch account.line.id.service {
            case .exist: history.sync(account.exist(), as: name, options: sync)
            case .mydatahelps:
                history.sync(account.participant(), as: name, serviceAccount: account.serviceAccount(), options: sync)
            }
        return summary.map(on: nil) { summary -> BatchItem.Outcome in
            let unreadable = summary.unreadable
            guard let first = summary.gaps.first else {
                return .done(unreadable: unreadable)
            }
            let lists = Dictionary(summary.gaps.map { ($0.list, $0.kind) }, uniquingKeysWith: { first, _ in first })
            return .failed(kind: first.kind, lists: lists, unreadable: unreadable)
        }.recover(on: .pledge) { error -> Promise<BatchItem.Outcome> in
            guard !(error is DatabaseError) else { throw error }
            return .value(.failed(kind: account.error(error).kind))
        }
    }
}

struct SyncCommandOptions {
    static let database = Option.file("--database", "the database for the data of many accounts")
    static let overlap = Option.number(
        "--overlap", "DAYS", 0...3660,
        "the number of days before the last run that are fetched again, because services correct past data",
        defaultValue: "\(SyncOptions().overlap)")
    static let lockWait = Option.seconds(
        "--lock-wait", 0...86_400, "how long to wait while another program writes to the database", defaultValue: "10")
    static let full = Option.flag(
        "--full", "fetch everything again, as the first run did: finds corrections and removals of any age")
    static let fullEvery = Option.number(
        "--full-every", "DAYS", 0...3660,
        "fetch an account's whole history again every DAYS days; the accounts are spread over those days; 0 for never",
        defaultValue: "30")
    static let acceptRemovals = Option.flag(
        "--accept-removals",
        "mark everything that the service no longer has as removed, even if it is an unusually large part of the data")
    static let acceptIdentity = Option.repeatable(
        .text(
            "--accept-identity", "NAME", "the name of an account",
            "accept that the account's token belongs to another person than before, or to the same person under "
                + "another name"))
    static let only = Option.repeatable(.text("--only", "NAME", "the name of an account", "sync only this account"))
    static let retry = Option<Set<String>>.value(
        "--retry", "KINDS", "kinds of errors, or “all”",
        "sync only the accounts whose last run ended with such an error, or with any error if you write “all”"
    ) { try AccountError.kinds($0, among: AccountError.syncKinds) }

    /// The options that only affect the stored data. They have no effect on `--check`.
    private static let ofData: [any AnyOption] = [
        overlap, full, fullEvery, acceptRemovals, acceptIdentity, BatchOptions.acceptUnreadable,
    ]
    private static let forOne: [any AnyOption] = [Access.profile, Access.demo]
    private static let forMany = [only, retry, AccountCheck.option] + BatchOptions.forMany
    static let all: [any AnyOption] =
        [database] + ofData + [lockWait, BatchOptions.rate, BatchOptions.wait, BatchOptions.quiet]
        + Access.requests + forOne + forMany

    let batch: BatchOptions
    let access: Access
    let database: String
    /// Whether the command syncs the accounts of an input. If not, it syncs the user's own accounts.
    let isForMany: Bool
    let sync: SyncOptions
    /// The kinds of errors that `--retry` names, or `all`. Only accounts whose last sync failed with one of these
    /// errors are synced. Nil without `--retry`, so that all accounts are synced.
    let retriedKinds: Set<String>?

    init(_ arguments: Arguments) throws {
        access = try Access(arguments)
        batch = try BatchOptions(arguments)
        sync = try Self.syncOptions(arguments)
        retriedKinds = arguments[Self.retry]
        if arguments[AccountCheck.option] {
            // A check opens the database only if `--retry` was given, to find the accounts to retry. Otherwise,
            // `--lock-wait` has no effect on a check.
            try AccountCheck.refuse(Self.ofData + (retriedKinds == nil ? [Self.lockWait] : []), in: arguments)
        }
        isForMany = arguments.has(Self.database)
        database = try isForMany ? Self.databaseForMany(arguments, batch) : Self.ownDatabase(arguments)
    }

    private static func syncOptions(_ arguments: Arguments) throws -> SyncOptions {
        var sync = SyncOptions()
        sync.overlap = try arguments.value(overlap)
        sync.isFull = arguments[full]
        let days = try arguments.value(fullEvery)
        sync.fullEvery = days == 0 ? nil : days
        sync.acceptsRemovals = arguments[acceptRemovals]
        sync.acceptedIdentities = Set(arguments[acceptIdentity] ?? [])
        return sync
    }

    /// Returns the database for many accounts. Throws if there is an option that doesn't fit.
    private static func databaseForMany(_ arguments: Arguments, _ batch: BatchOptions) throws -> String {
        let target = arguments[database] ?? ""
        if let option = forOne.first(where: arguments.has) {
            throw UsageError(
                "\(option.name) applies only to your own account. For many accounts, each line of the file has the token "
                    + "to use.")
        }
        guard !arguments.operands.isEmpty else {
            throw UsageError(
                "\(database.name) requires a file of accounts, or -. For your own data, run “pledge sync \(target)”.")
        }
        let filters: [any AnyOption] = [only, retry]
        if batch.metrics != nil, let option = filters.first(where: arguments.has) {
            throw UsageError("\(BatchOptions.metrics.name) is for all accounts: omit it with \(option.name).")
        }
        return target
    }

    /// Returns the database for the user's own accounts. Throws if there is an option that doesn't fit.
    private static func ownDatabase(_ arguments: Arguments) throws -> String {
        guard let file = arguments.operands.first else {
            throw UsageError("“pledge sync” needs a database file, such as tracking.db.")
        }
        if let option = forMany.first(where: arguments.has) {
            throw UsageError("\(option.name) applies only to many accounts, with --database FILE.")
        }
        guard !file.hasSuffix(".jsonl") else {
            throw UsageError("\(file) looks like a file of accounts: choose the database with --database FILE.")
        }
        return file
    }

    func history(_ reporter: ProgressReporter) throws -> History {
        try History(database, lockWait: batch.arguments.value(Self.lockWait)) { seconds in
            reporter.log(LogEvent(name: "wait", text: Self.lockNotice(database, seconds)))
        }
    }

    static func lockNotice(_ file: String, _ seconds: Double) -> String {
        "Another program is writing to \(file): waiting for it, at most \(NumberText.duration(seconds)). "
            + "Press Ctrl-C to stop."
    }

    /// Returns the accounts whose last sync failed with one of the kinds of errors that `--retry` names; nil for all
    /// accounts.
    func retried(in history: History) throws -> Set<HashKey>? {
        try retriedKinds.map { kinds in
            try Self.accounts(in: history) { kind in !kinds.isDisjoint(with: ["all", kind ?? "all"]) }
        }
    }

    /// Returns the accounts for which a service failed during their last sync.
    static func failedBefore(in history: History) throws -> Set<HashKey> {
        try accounts(in: history) { kind in kind.map(AccountError.serviceKinds.contains) ?? false }
    }

    /// Returns the accounts whose last sync left some data out of date.
    ///
    /// - Parameter isWanted: Returns whether to include an account. It receives the kind of the error, or nil if the
    ///   sync was interrupted.
    private static func accounts(in history: History, where isWanted: (String?) -> Bool) throws -> Set<HashKey> {
        Set(
            try history.failures().filter { isWanted($0.kind) }
                .map { AccountID(service: $0.service, account: $0.account).key })
    }

    /// The keys of the accounts that `--only` names; nil for all accounts.
    var named: Set<HashKey>? { batch.arguments[Self.only].map { Set($0.flatMap(Self.keys)) } }

    /// Surveys the input. Throws if the input doesn't contain an account that `--only` names.
    func survey(_ input: BatchInput) throws -> Set<HashKey>? {
        let accounts = try input.survey(named)
        let missing = (batch.arguments[Self.only] ?? []).sorted().first {
            accounts?.isDisjoint(with: Self.keys($0)) ?? false
        }
        guard let missing else { return accounts }
        throw UsageError("\(input.file.name) has no account “\(missing)”, at least not in this shard.")
    }

    private static func keys(_ name: String) -> [HashKey] {
        AccountID.Service.allCases.map { AccountID(service: $0, account: name).key }
    }
}
