import Foundation
import PledgeBatch
import PledgeCoding
import PledgeFiles
import PledgeHistory

/// `pledge forget`: erases persons from a database and from exported results.
///
/// It depends only on names, not on the results of an earlier run, so that it can be repeated after any failure.
struct ForgetCommand {
    let arguments: Arguments
    private var names: [String] { arguments.operands }
    private var database: String? { arguments[Self.database] }
    private var results: [String] { arguments[Self.results] ?? [] }

    static let database = Option.file("--database", "the database of pledge sync")
    static let results = Option.repeatable(.file("--results", "a file of pledge export"))
    static let service = Option<AccountID.Service>.choice(
        "--service", ["exist": .exist, "mydatahelps": .mydatahelps], "the service, if both have an account of that name"
    )
    static let verify = Option.flag(
        "--verify",
        "erase nothing, but say where these files still have any of these names, or any other text, with any escapes")

    func run() throws -> Int32 {
        guard database != nil || !results.isEmpty else {
            throw UsageError("“pledge forget” needs --database or --results.")
        }
        if arguments[Self.verify] {
            try names.forEach(Self.refuseFile)
            return try ErasureCheck(names, in: results, database, arguments.terminal).run()
        }
        // Open and lock everything before changing anything.
        let files = try results.map { try ErasableResults($0) }
        let history = try database.map { path in
            guard FileManager.default.fileExists(atPath: path) else { throw UsageError("There is no \(path).") }
            return try History(path, lockWait: arguments.value(SyncRequest.lockWait))
        }
        let stored = try history?.accounts().map { service, name in
            AccountID(service: service, account: name)
        }
        // By key, because names that look the same may differ.
        let known = Dictionary(
            ((stored ?? []) + files.flatMap { $0.lines.values.map(\.account) }).map { ($0.key, $0) },
            uniquingKeysWith: { first, _ in first })
        let accounts = try names.map { (name: $0, found: try find($0, in: Array(known.values))) }

        for case (let name, nil) in accounts { try Self.refuseFile(name) }
        // Print each change at once, in case a later one fails.
        for path in results + [database].compactMap(\.self) {
            for name in try OutputPath(path).removeAbandoned() {
                try say("Removed: \(name), which a run that was killed has left beside \(path).")
            }
        }
        for file in files { try file.erase(accounts.compactMap(\.found)).forEach(say) }
        for case (_, let account?) in accounts {
            guard let history, let rows = try history.erase(account.account, of: account.service) else {
                continue
            }
            try say("Erased from \(history.path): \(account.words), \(Self.words(rows)).")
        }
        for case (let name, nil) in accounts {
            let near = Nearest.hint(to: name, among: known.values.map(\.account))
            try say("Nothing was found of “\(name.onOneLine)”: it is erased, or never was there.\(near)")
        }
        if let history {
            try history.compact()
            try say("Written anew: \(history.path).")
        }
        return 0
    }

    /// A shell expands a pattern to several files; all but the first would be mistaken for names of accounts.
    private static func refuseFile(_ name: String) throws {
        guard !FileManager.default.fileExists(atPath: name) else {
            throw UsageError("“\(name.onOneLine)” is a file: write --results before each. Nothing was erased.")
        }
    }

    private func say(_ sentence: String) throws { try arguments.terminal.write(sentence + "\n") }

    /// Returns the account of this name, if it exists.
    private func find(_ name: String, in known: [AccountID]) throws -> AccountID? {
        let service = arguments[Self.service]
        let found = known.filter { $0.account.utf8.elementsEqual(name.utf8) && (service ?? $0.service) == $0.service }
        guard found.count < 2 else {
            throw UsageError("Both services have an account “\(name)”: choose one with --service. Nothing was erased.")
        }
        return found.first
    }

    private static func words(_ rows: [String: Int]) -> String {
        let counts = rows.filter { $0.key != "account" }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(NumberText.grouped($0.value)) of \($0.key)" }
        return counts.isEmpty ? "without any data" : counts.joined(separator: ", ")
    }
}

extension ForgetCommand {
    static let command = Command(
        name: "forget", summary: "erase persons from databases and results", part: .machines,
        operands: .init(form: "ACCOUNT…", count: .atLeastOne),
        options: [database, results, service, SyncRequest.lockWait, verify],
        examples: [
            "pledge forget p-17 --database study.db": "all rows of an account",
            "pledge forget p-17 p-18 --database study.db --results monday.jsonl --results tuesday.jsonl":
                "from everything that has them",
            "pledge forget --verify p-17 ann@example.org --database study.db --results monday.jsonl":
                "whether any of it is left, in files of any age",
        ],
        notes: [
            .init(
                title: "WHAT IS ERASED",
                text: """
                    All that the database holds of the accounts, and their lines in results, with what killed
                    runs have left beside these files. The database is written anew, which takes as much room again, so that
                    nothing deleted or changed earlier is left in unused parts. Each file is changed as a whole or not at
                    all; after a failure, the same command erases the rest. An account that is gone is no error. Input files,
                    logs, backups, and copies are yours to change: an account that is still in the input comes back with the
                    next run.
                    """),
            .init(
                title: "EXIT CODES",
                text: """
                    0  everything is erased; with --verify, nothing of it is left
                    1  a file could not be changed, or is being read: run the same again; with --verify, one cannot be looked \
                    into, such as a compressed file
                    2  with --verify, something is left
                    64  invalid command line, or a file that is not what it should be
                    """),
        ]
    ) { arguments in try ForgetCommand(arguments: arguments).run() }
}
