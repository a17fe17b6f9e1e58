import Foundation
import PledgeCoding
import PledgeHistory

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
