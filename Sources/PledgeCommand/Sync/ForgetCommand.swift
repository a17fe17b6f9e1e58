import Foundation
import PledgeBatch
import PledgeCoding
import PledgeFiles
import PledgeHistory

/// `pledge forget`: erases people's data from a database and from exported results.
///
/// The command erases everything that it finds for the given names. It does not depend on what an earlier run has
/// already erased. So it can be repeated after any failure.
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
        "erase nothing, but print where these files still have any of these names, or any other text that you give; "
            + "finds escaped text, too")

    func run() throws -> ExitCode {
        guard database != nil || !results.isEmpty else {
            throw UsageError("“pledge forget” needs --database or --results.")
        }
        if arguments[Self.verify] {
            try names.forEach(Self.refuseFile)
            return try ErasureCheck(names, in: results, database, arguments.terminal).run()
        }
        // Every file is opened and locked before any file is changed.
        let files = try results.map { try ErasableResults($0) }
        let history = try database.map(open)
        let stored = try history?.accounts().map { service, name in
            AccountID(service: service, account: name)
        }
        // Accounts are compared by the bytes of their names. Swift's comparison of strings would treat names as equal
        // that look the same but have different bytes.
        let known = Dictionary(
            ((stored ?? []) + files.flatMap { $0.lines.values.map(\.account) }).map { ($0.key, $0) },
            uniquingKeysWith: { first, _ in first })
        let accounts = try names.map { (name: $0, found: try find($0, in: Array(known.values))) }
        for case (let name, nil) in accounts { try Self.refuseFile(name) }

        try erase(accounts.compactMap(\.found), from: files, history)
        for case (let name, nil) in accounts {
            let near = Nearest.hint(to: name, among: known.values.map(\.account))
            try say("There is no data for “\(name.onOneLine)”. It was already erased, or never stored.\(near)")
        }
        if let history {
            try history.compact()
            try say("Rewrote \(history.path).")
        }
        return .success
    }

    private func open(_ path: String) throws -> History {
        guard FileManager.default.fileExists(atPath: path) else { throw UsageError("There is no \(path).") }
        let terminal = arguments.terminal
        return try History(path, lockWait: arguments.value(SyncCommandOptions.lockWait)) { seconds in
            terminal.notify(SyncCommandOptions.lockNotice(path, seconds))
        }
    }

    /// Erases accounts, and temporary files that killed runs left. Prints each change immediately, because a later change
    /// may fail.
    private func erase(_ accounts: [AccountID], from files: [ErasableResults], _ history: History?) throws {
        for path in results + [database].compactMap(\.self) {
            for name in try OutputPath(path).removeAbandoned() {
                try say("Removed \(name), which a killed run left beside \(path).")
            }
        }
        for file in files { try file.erase(accounts).forEach(say) }
        guard let history else { return }
        for account in accounts {
            guard let rows = try history.erase(account.account, of: account.service) else { continue }
            try say("Erased from \(history.path): \(account.title), \(Self.text(rows)).")
        }
    }

    /// Throws if a name is the path of a file. After `--results`, the shell may expand a pattern such as `*.jsonl` to
    /// several paths. The command takes only the first path as results, and would mistake the others for names of
    /// accounts.
    private static func refuseFile(_ name: String) throws {
        guard !FileManager.default.fileExists(atPath: name) else {
            throw UsageError("“\(name.onOneLine)” is a file: write --results before each file. Nothing was erased.")
        }
    }

    private func say(_ sentence: String) throws { try arguments.terminal.write(sentence + "\n") }

    /// Returns the account with this name, or nil if there is none. Throws if both services have an account with this
    /// name, unless `--service` was given.
    private func find(_ name: String, in known: [AccountID]) throws -> AccountID? {
        let service = arguments[Self.service]
        let found = known.filter { $0.account.utf8.elementsEqual(name.utf8) && (service ?? $0.service) == $0.service }
        guard found.count < 2 else {
            throw UsageError("Both services have an account “\(name)”: choose one with --service. Nothing was erased.")
        }
        return found.first
    }

    private static func text(_ rows: [String: Int]) -> String {
        let counts = rows.filter { $0.key != "account" }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(NumberText.grouped($0.value)) of \($0.key)" }
        return counts.isEmpty ? "without any data" : counts.joined(separator: ", ")
    }
}

extension ForgetCommand {
    static let command = Command(
        name: "forget", summary: "erase people's data from databases and result files", part: .machines,
        operands: .init(form: "ACCOUNT…", count: .atLeastOne),
        options: [database, results, service, SyncCommandOptions.lockWait, verify],
        examples: [
            "pledge forget p-17 --database study.db": "all rows of an account",
            "pledge forget p-17 p-18 --database study.db --results monday.jsonl --results tuesday.jsonl":
                "two accounts, from a database and two files of results",
            "pledge forget --verify p-17 ann@example.org --database study.db --results monday.jsonl":
                "check whether any of these texts is left, in files of any age",
        ],
        notes: [
            .init(
                title: "WHAT IS ERASED",
                text: """
                    All data of the accounts in the database, their lines in results, and temporary files that interrupted runs
                    left beside these files. The database is rewritten, so that no data stays in unused parts of the file;
                    this needs as much free space as the database has. Each file is changed completely or not at all. After a
                    failure, run the same command again to erase the rest. Erasing an account that is already gone succeeds.
                    Input files, logs, backups, and copies are not changed, so erase the account there yourself: if it is
                    still in the input, the next run fetches it again.
                    """),
            .init(
                title: "EXIT CODES",
                text: """
                    0  everything is erased; with --verify, none of the texts is left
                    1  a file could not be changed, or is being read: run the same command again; with --verify, a file cannot \
                    be searched, for example because it is compressed
                    2  with --verify, at least one of the texts is left
                    64  invalid command line, or a file of the wrong kind
                    """),
        ]
    ) { arguments in try ForgetCommand(arguments: arguments).run() }
}

/// A file of results from which accounts can be erased. The file is locked.
struct ErasableResults {
    private let file: LinesFile
    /// The length of all complete lines. A partial line may follow.
    private let wholeLength: Int
    /// The accounts of the file, with the range of each account's line. An account is found by the bytes of its name.
    /// Swift compares strings differently: it treats names as equal that look the same but have different bytes.
    let lines: [HashKey: (account: AccountID, range: Range<Int>)]

    init(_ path: String) throws {
        let location = try OutputPath(path)
        guard location.isTaken else { throw UsageError("There is no \(path).") }
        file = try LinesFile(results: location)
        var lines: [HashKey: (account: AccountID, range: Range<Int>)] = [:]
        // Throws if the file contains anything other than results, because erasing rewrites the file.
        wholeLength = try ResumeScan(file.file) { lines[$0.key] = ($0, $1) }.wholeLength
        self.lines = lines
    }

    /// Rewrites the file without the lines of these accounts, and without a partial line at its end. Returns a sentence
    /// about each line that was erased.
    func erase(_ accounts: [AccountID]) throws -> [String] {
        let found = accounts.compactMap { lines[$0.key] }
        try file.truncate(toLines: wholeLength)
        if !found.isEmpty { try file.drop(found.map(\.range).sorted { $0.lowerBound < $1.lowerBound }) }
        return found.map { "Erased from \(file.name): the line of \($0.account.title)." }
    }
}
