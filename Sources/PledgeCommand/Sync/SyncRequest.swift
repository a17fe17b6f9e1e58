import ExistKit
import Foundation

/// The options of `pledge sync`.
struct SyncRequest {
    var database: String
    /// Whether the accounts come from a file or from standard input, instead of being your own.
    var hasAccounts = false
    var overlap = 14
    var batch: BatchOptions
    let access: Access

    static let database = Option.file("--database", "the database for the data of many accounts")
    static let overlap = Option.number(
        "--overlap", "DAYS", 0...3660,
        "the number of days before the last run to fetch again, since services correct past data", usual: "14")
    /// The options of a batch that also apply to your own account.
    private static let common: [any AnyOption] =
        [
            overlap, ExportCommand.rate, ExportCommand.wait, Access.timeout, Access.transport, Access.verbose,
            ExportCommand.quiet,
        ] + BudgetOptions.account.all
    private static let forOne: [any AnyOption] = [Access.tokenKind, Access.profile, Access.noDemo]
    private static let forAccounts: [any AnyOption] = [
        ExportCommand.inFlight, ExportCommand.totalRate, ExportCommand.outageWait, ExportCommand.shard,
        ExportCommand.summary, ExportCommand.metrics, ExportCommand.log, ExportCommand.acceptErrors,
    ]
    static let options: [any AnyOption] = [database] + common + forOne + forAccounts

    init(_ arguments: Arguments) throws {
        func given(_ options: [any AnyOption]) -> String? {
            options.first { arguments.has($0) }?.name
        }
        access = Access(arguments)
        batch = try BatchOptions(arguments)
        overlap = arguments[Self.overlap] ?? overlap
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
            (database, hasAccounts) = (target, true)
            return
        }
        guard let file = arguments.operands.first else {
            throw UsageError("“pledge sync” needs a database file, such as tracking.db.")
        }
        if let name = given(Self.forAccounts) {
            throw UsageError("\(name) applies only to many accounts, with --database FILE.")
        }
        guard !file.hasSuffix(".jsonl") else {
            throw UsageError("\(file) looks like a file of accounts: choose the database with --database FILE.")
        }
        database = file
    }
}

extension SyncCommand {
    static let command = Command(
        name: "sync", summary: "keep a SQLite database of your data up to date", part: .reading,
        operands: .init(form: "FILE.db | accounts.jsonl --database FILE.db", count: 0...1, completes: .files),
        options: SyncRequest.options,
        examples: [
            .init("pledge sync tracking.db", "fetches the whole history the first time, then what may have changed"),
            .init(
                "pledge sync accounts.jsonl --database study.db",
                "the data of many accounts; see pledge help export for the format"),
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
                    A run can be interrupted at any time: the next one resumes there. The accounts are those of EXIST_TOKEN and
                    MYDATAHELPS_TOKEN or those that “pledge login” stored, of one service or both. Without any, the data is
                    the built-in sandbox's, as the account “sandbox”. “pledge report --database” shows the data.
                    """),
            .init(
                title: "EXIT CODES",
                text: """
                    0  everything is up to date
                    1  the run could not continue
                    2  some accounts failed
                    3  a service is down
                    64  invalid command line
                    130  interrupted
                    """),
        ]
    ) { arguments in
        try SyncCommand(options: SyncRequest(arguments)).run()
    }
}
