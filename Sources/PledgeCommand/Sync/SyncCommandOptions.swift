import Foundation
import PledgeBatch
import PledgeCoding
import PledgeHistory

struct SyncCommandOptions {
    static let database = Option.file("--database", "the database for the data of many accounts")
    static let overlap = Option.number(
        "--overlap", "DAYS", 0...3660,
        "the number of days before the last run to fetch again, since services correct past data",
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
        "--accept-removals", "mark everything that the service no longer has, even if that is unusually much")
    static let acceptIdentity = Option.repeatable(
        .text(
            "--accept-identity", "NAME", "the name of an account",
            "accept that the account's token is of another person than before, or of the same under another name"))
    static let only = Option.repeatable(.text("--only", "NAME", "the name of an account", "sync only this account"))
    static let retry = Option<Set<String>>.value(
        "--retry", "KINDS", "kinds of errors, or “all”",
        "sync only the accounts whose last run ended with such an error, or with any"
    ) { try AccountError.kinds($0, among: AccountError.syncKinds) }

    /// The options that only affect stored data.
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
    /// Whether the accounts come from an input, instead of being the user's own.
    let hasAccounts: Bool
    let sync: SyncOptions
    /// The kinds of errors whose accounts to sync, or `all`; nil for all accounts.
    let retried: Set<String>?

    init(_ arguments: Arguments) throws {
        func given(_ options: [any AnyOption]) -> String? { options.first(where: arguments.has)?.name }
        (access, batch) = (try Access(arguments), try BatchOptions(arguments))
        var sync = SyncOptions()
        sync.overlap = try arguments.value(Self.overlap)
        sync.isFull = arguments[Self.full]
        let days = try arguments.value(Self.fullEvery)
        sync.fullEvery = days == 0 ? nil : days
        sync.acceptsRemovals = arguments[Self.acceptRemovals]
        let changed = Set(arguments[Self.acceptIdentity] ?? [])
        sync.acceptsIdentity = { changed.contains($0) }
        self.sync = sync
        retried = arguments[Self.retry]
        if arguments[AccountCheck.option] {
            // A check opens a database only to find the accounts to retry. So the option for the database's lock
            // applies only then.
            try AccountCheck.refuse(Self.ofData + (retried == nil ? [Self.lockWait] : []), in: arguments)
        }
        if let target = arguments[Self.database] {
            if let name = given(Self.forOne) {
                throw UsageError(
                    "\(name) applies only to your own account: for many, each line of the file has its own.")
            }
            guard !arguments.operands.isEmpty else {
                throw UsageError(
                    "\(Self.database.name) requires a file of accounts, or -. For your own data, run “pledge sync "
                        + "\(target)”.")
            }
            if batch.metrics != nil, let name = given([Self.only, Self.retry]) {
                throw UsageError("\(BatchOptions.metrics.name) are of all accounts: leave it out with \(name).")
            }
            database = target
            hasAccounts = true
            return
        }
        guard let file = arguments.operands.first else {
            throw UsageError("“pledge sync” needs a database file, such as tracking.db.")
        }
        if let name = given(Self.forMany) {
            throw UsageError("\(name) applies only to many accounts, with --database FILE.")
        }
        guard !file.hasSuffix(".jsonl") else {
            throw UsageError("\(file) looks like a file of accounts: choose the database with --database FILE.")
        }
        database = file
        hasAccounts = false
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

    /// Returns the accounts whose last sync failed with one of the kinds of errors to retry; nil for all accounts.
    func retried(in history: History) throws -> Set<HashKey>? {
        try retried.map { retried in
            try Self.accounts(in: history) { kind in !retried.isDisjoint(with: ["all", kind ?? "all"]) }
        }
    }

    /// Returns the accounts for which a service failed in their last sync.
    static func failedBefore(in history: History) throws -> Set<HashKey> {
        try accounts(in: history) { kind in kind.map(AccountError.serviceKinds.contains) ?? false }
    }

    /// Returns the accounts whose last sync left something out of date. `isWanted` receives the reason: the kind of an
    /// error, or nil if the sync was interrupted.
    private static func accounts(in history: History, where isWanted: (String?) -> Bool) throws -> Set<HashKey> {
        Set(
            try history.failures().filter { isWanted($0.kind) }
                .map { AccountID(service: $0.service, account: $0.account).key })
    }

    /// The keys of the accounts named by `--only`; nil for all accounts.
    var named: Set<HashKey>? { batch.arguments[Self.only].map { Set($0.flatMap(Self.keys)) } }

    /// Surveys the input, and checks that it contains the accounts that were named.
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
