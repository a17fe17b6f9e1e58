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

/// `pledge forget --verify`: searches for texts in the rows of a database, in the lines of results, and in other files
/// that belong to them. If a text is in no row and no line, the bytes of the files are searched for it.
struct ErasureCheck {
    private let texts: [SoughtText]
    private let results: [String]
    private let database: String?
    /// The temporary files beside the database and the results. They were left by runs that were killed.
    private let unfinished: [String]
    private let terminal: Terminal

    init(_ texts: [String], in results: [String], _ database: String?, _ terminal: Terminal) throws {
        self.results = results
        self.database = database
        self.terminal = terminal
        self.texts = texts.map { SoughtText($0) }
        let given = results + [database].compactMap(\.self)
        for path in given where !FileManager.default.fileExists(atPath: path) {
            throw UsageError("There is no \(path).")
        }
        unfinished = Set(
            try given.flatMap { path in
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
                return try OutputPath(path).temporaries.map { folder.appendingPathComponent($0).path }
            }
        ).sorted()
    }

    /// The files that were searched, whether any text was found, and sentences about what could not be searched.
    private struct Report {
        var paths: [String] = []
        var isLeft = false
        var unseen: [String] = []
    }

    func run() throws -> ExitCode {
        var report = Report()
        if let database { try lookInto(database: database, &report) }
        let others = (results.map { $0 + RunRecord.suffix } + unfinished).filter(isThere)
        for path in results + others {
            let bytes = read(path, &report)
            if bytes.starts(with: "SQLite format 3\0".utf8) {
                try lookInto(database: path, &report)
            } else {
                report.paths.append(path)
                try lookInto(bytes, of: path, &report)
            }
        }
        for sentence in report.unseen { try terminal.write("\(sentence.onOneLine)\n") }
        guard !report.isLeft else { return .someFailed }
        let paths = report.paths.joined(separator: ", ")
        guard report.unseen.isEmpty else {
            try terminal.write(
                "None of these texts was found in \(paths). They may still be in what could not be searched.\n")
            return .failure
        }
        try terminal.write("None of these texts is left in \(paths).\n")
        return .success
    }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func say(_ text: SoughtText, _ place: String, _ report: inout Report) throws {
        report.isLeft = true
        try terminal.write("“\(text.text.onOneLine)” is left in \(place).\n")
    }

    /// Returns the content of a file. If the file cannot be read, adds that to the report, and returns no bytes.
    private func read(_ path: String, _ report: inout Report) -> Data {
        // The file is first opened with a system call, because Foundation's error messages are not written for users.
        guard let file = SystemFile(reading: path) else {
            report.unseen.append("\(FileError(reading: path, errno))")
            return Data()
        }
        guard file.isRegular, let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        else {
            report.unseen.append(
                "\(path) cannot be read: it is \(file.isRegular ? "on a failing disk" : "not a file").")
            return Data()
        }
        return bytes
    }

    // MARK: Databases

    private func lookInto(database path: String, _ report: inout Report) throws {
        var rows = TextSearch.Rows(of: texts)
        do {
            rows = try TextSearch.rows(texts, in: path)
        } catch let error as DatabaseError {
            rows.unseen.append(
                error.kind == .notOurs
                    ? "\(path) cannot be searched: it is encrypted, or not a database." : "\(error)")
        }
        report.unseen += rows.unseen
        for (text, columns) in zip(texts, rows.found) where !columns.isEmpty {
            let places = columns.sorted { $0.key < $1.key }
                .map { "\($0.key) (\(NumberText.counted($0.value, "row")))" }
            try say(text, "\(path), in \(places.joined(separator: ", "))", &report)
        }
        // The files are read only after the database has been closed. When a process closes a file, the system releases
        // all locks of the process on that file, including the locks of SQLite.
        let paths = [path] + ["-wal", "-journal", "-shm"].map { path + $0 }.filter(isThere)
        let files = Dictionary(uniqueKeysWithValues: paths.map { ($0, read($0, &report)) })
        report.paths += paths
        let pages = files[path].flatMap {
            DatabasePages($0, log: files[path + "-wal"] ?? Data(), journal: files[path + "-journal"] ?? Data())
        }
        for (text, columns) in zip(texts, rows.found) where columns.isEmpty {
            var isFound = false
            for path in paths {
                let places = places(of: text, in: files[path] ?? Data())
                guard let first = places.first else { continue }
                isFound = true
                try say(text, "\(path), outside of any row, \(Self.text(first, more: places.count - 1))", &report)
            }
            if !isFound, pages?.hasInPieces(text) == true {
                try say(text, "unused pages of \(path), or of its journal, in pieces", &report)
            }
        }
    }

    // MARK: Lines

    private func lookInto(_ bytes: Data, of path: String, _ report: inout Report) throws {
        if let reason = Self.opacity(of: bytes) {
            report.unseen.append("\(path) cannot be searched: \(reason).")
        }
        let lines = Self.inUTF8(bytes)
        for text in texts {
            var first = 0
            var more = 0
            var number = 0
            lines.withUnsafeBytes { lines in
                for line in lines.split(separator: 0x0A, omittingEmptySubsequences: false) {
                    number += 1
                    guard text.isIn(UnsafeRawBufferPointer(rebasing: line)) else { continue }
                    if first == 0 { first = number } else { more += 1 }
                }
            }
            if first > 0 {
                let rest = more > 0 ? ", and in \(NumberText.counted(more, "more line"))" : ""
                try say(text, "\(path), line \(first)\(rest)", &report)
            } else if case let places = places(of: text, in: bytes), let first = places.first {
                try say(text, "\(path), \(Self.text(first, more: places.count - 1))", &report)
            }
        }
    }

    /// Returns the reason why a file cannot be read as text; nil if it can. The file must not be a database.
    private static func opacity(of bytes: Data) -> String? {
        switch bytes.withUnsafeBytes({ TextSearch.Opaque($0) }) {
        case .compressed?: return "it is compressed"
        case .encrypted?: return "it is encrypted"
        case nil: break
        }
        // Zeros at the start of the file are skipped, because a power failure can leave them.
        let start = inUTF8(Data(bytes.prefix(4096))).drop { $0 == 0 }
        let hasControls = start.contains { $0 < 0x20 && ![0, 0x09, 0x0A, 0x0C, 0x0D].contains($0) }
        // The last three bytes are not compared, because the prefix may end in the middle of a character.
        let isText = String(decoding: start, as: UTF8.self).utf8.starts(with: start.dropLast(3))
        return hasControls || !isText ? "it is neither text nor a database, so it may be compressed or encrypted" : nil
    }

    /// Returns a text in UTF-8, even if another program has written it in UTF-16.
    private static func inUTF8(_ bytes: Data) -> Data {
        let start = Array(bytes.prefix(4))
        let isLittle =
            start.starts(with: [0xFF, 0xFE]) || start.count == 4 && start[0] > 0 && start[1] == 0 && start[3] == 0
        let isBig =
            start.starts(with: [0xFE, 0xFF]) || start.count == 4 && start[1] > 0 && start[0] == 0 && start[2] == 0
        guard isLittle || isBig else { return bytes }
        let units = bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 2).map { index in
                let unit = bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
                return isLittle ? UInt16(littleEndian: unit) : UInt16(bigEndian: unit)
            }
        }
        return Data(String(decoding: units, as: UTF16.self).utf8)
    }

    // MARK: Bytes

    /// Returns the offsets at which a file contains a text in any of the forms in which the text may be stored.
    private func places(of text: SoughtText, in bytes: Data) -> [Int] {
        bytes.withUnsafeBytes { bytes in
            var places: Set<Int> = []
            for form in text.forms {
                var start = 0
                while let place = SoughtText.first(form, in: bytes, from: start) {
                    places.insert(place)
                    start = place + 1
                }
            }
            return places.sorted()
        }
    }

    private static func text(_ place: Int, more: Int) -> String {
        "at byte \(place)" + (more > 0 ? ", and at \(NumberText.grouped(more)) more" : "")
    }
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
