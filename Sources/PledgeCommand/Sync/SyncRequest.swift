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

    static let database = Option.file("--database", "where the data of many accounts goes")
    static let overlap = Option.number(
        "--overlap", "DAYS", 0...3660,
        "how many days before the last run are read again, since services correct the past", usual: "14")
    /// The options of a batch that also apply to your own account.
    private static let common: [any AnyOption] = [
        overlap, ExportCommand.rate, ExportCommand.wait, Access.timeout, Access.transport, ExportCommand.quiet,
    ]
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
                throw UsageError("\(name) is for one's own account: the lines of accounts say it.")
            }
            guard !arguments.operands.isEmpty else {
                throw UsageError(
                    "\(Self.database.name) is for many accounts, and needs their file, or -. Your own data: “pledge sync "
                        + "\(target)”.")
            }
            (database, hasAccounts) = (target, true)
            return
        }
        guard let file = arguments.operands.first else {
            throw UsageError("“pledge sync” needs a file to keep the data in, such as tracking.db.")
        }
        if let name = given(Self.forAccounts) {
            throw UsageError("\(name) is for many accounts, with --database FILE.")
        }
        guard !file.hasSuffix(".jsonl") else {
            throw UsageError("\(file) looks like a file of accounts: say where to with --database FILE.")
        }
        database = file
    }
}

extension SyncCommand {
    static let command = Command(
        name: "sync", summary: "one's own data in a SQLite database, kept up to date", part: .reading,
        operands: .init(form: "FILE.db | accounts.jsonl --database FILE.db", count: 0...1, completes: .files),
        options: SyncRequest.options,
        examples: [
            .init("pledge sync tracking.db", "the first time the whole history, then what may have changed"),
            .init(
                "pledge sync accounts.jsonl --database study.db",
                "that of many accounts; see pledge help export for the lines"),
        ],
        notes: [
            .init(
                title: "DATABASE",
                text: """
                    sqlite3 -header tracking.db "SELECT * FROM latest" shows what is there; other views are daily and
                    weekly. The article “Tables” of PledgeHistory has all.
                    """),
            .init(
                title: "RUNS",
                text: """
                    A run can be ended at any moment: the next one goes on from there. Whose data it is, EXIST_TOKEN and
                    MYDATAHELPS_TOKEN say, or what “pledge login” stored: with both services it is both, without either
                    the built-in sandbox's, as the account “sandbox”. “pledge report --database” shows it.
                    """),
            .init(
                title: "EXIT CODES",
                text: """
                    0 all is up to date    2 some accounts failed    1 it could not go on    3 a service is down
                    64 the command line made no sense    130 it was interrupted
                    """),
        ]
    ) { arguments in
        try SyncCommand(options: SyncRequest(arguments)).run()
    }
}
