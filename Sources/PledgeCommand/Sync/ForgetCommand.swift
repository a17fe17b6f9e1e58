import Foundation
import PledgeBatch
import PledgeHistory

/// `pledge forget`: erases persons from a database, and from the results of exports.
struct ForgetCommand {
    var names: [String]
    var database: String?
    var results: [String]
    /// The service of the accounts; nil if their names are in one only.
    var service: AccountID.Service?
    var isCompacted: Bool
    var terminal: Terminal

    static let database = Option.file("--database", "the database of pledge sync")
    static let results = Option.files("--results", "a file of pledge export, whose tables are made again")
    static let service = Option<AccountID.Service>.choice(
        "--service", ["exist": .exist, "mydatahelps": .mydatahelps], "the service, if both have an account of that name"
    )
    static let compact = Option.flag(
        "--compact", "write the database anew, so that nothing deleted or changed earlier is left in unused parts")

    func run() throws -> Int32 {
        // Everything is opened, and locked, before anything is changed.
        let files = try results.map { try ErasableResults($0) }
        let history = try database.map { path in
            guard FileManager.default.fileExists(atPath: path) else { throw UsageError("There is no \(path).") }
            return try History(path)
        }
        defer { history?.close() }
        let stored = try history.map { history in
            try AccountID.Service.allCases.flatMap { service in
                try StoredAccount.all(of: service.rawValue, in: history).map {
                    AccountID(service: service, account: $0.name)
                }
            }
        }
        // By key, because accounts whose names only look the same differ.
        let known = Dictionary(
            ((stored ?? []) + files.flatMap(\.accounts)).map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let accounts = try names.map { try find($0, in: Array(known.values)) }
        var said: [String] = []
        for file in files {
            for account in try file.erase(accounts) { said.append("\(file.name): \(account.words), its line") }
        }
        for account in accounts {
            guard let history, let rows = try history.forget(account.account, of: account.service.stored) else {
                continue
            }
            said.append("\(history.path): \(account.words), \(Self.words(rows))")
        }
        if isCompacted { try history?.compact() }
        try terminal.write(said.map { "Erased from \($0).\n" }.joined())
        return 0
    }

    private func find(_ name: String, in known: [AccountID]) throws -> AccountID {
        let found = known.filter { $0.account.utf8.elementsEqual(name.utf8) && (service ?? $0.service) == $0.service }
        guard found.count < 2 else {
            throw UsageError("Both services have an account “\(name)”: choose one with --service. Nothing was erased.")
        }
        guard let account = found.first else {
            let near = Nearest.hint(to: name, among: known.map(\.account))
            throw UsageError("There is no account “\(name)”.\(near) Nothing was erased.")
        }
        return account
    }

    /// Returns words such as `3,650 of value, 50 of attribute`.
    private static func words(_ rows: [String: Int]) -> String {
        rows.filter { $0.key != "account" }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(BatchProgress.grouped($0.value)) of \($0.key)" }.joined(separator: ", ")
    }
}

extension AccountID {
    fileprivate var words: String { "\(service.rawValue) account “\(account.onOneLine)”" }
}

extension ForgetCommand {
    static let command = Command(
        name: "forget", summary: "erase persons from databases and results", part: .machines,
        operands: .init(form: "ACCOUNT…", count: 1...1_000), options: [database, results, service, compact],
        examples: [
            .init("pledge forget p-17 --database study.db", "all rows of an account, overwritten with zeros"),
            .init(
                "pledge forget p-17 p-18 --database study.db --results monday.jsonl --results tuesday.jsonl",
                "from everything that has them"),
        ],
        notes: [
            .init(
                title: "WHAT IS ERASED",
                text: """
                    All that the database holds of the accounts, and their lines in results and tables. Each file is changed
                    as a whole or not at all; after a failure, the same command erases the rest. Input files, logs, backups,
                    and copies are yours to change: an account that is still in the input comes back with the next run.
                    """)
        ]
    ) { arguments in
        let command = ForgetCommand(
            names: arguments.operands, database: arguments[database], results: arguments[results] ?? [],
            service: arguments[service], isCompacted: arguments[compact], terminal: arguments.terminal)
        guard command.database != nil || !command.results.isEmpty else {
            throw UsageError("“pledge forget” needs --database or --results.")
        }
        return try command.run()
    }
}
