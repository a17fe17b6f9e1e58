import ExistKit
import Foundation
import PledgeCoding
import PledgeFiles

/// The path of results. In its file name, `%F` is the day on which the run started, and `%%` is a percent sign.
struct OutputName {
    private let folder: String
    /// The parts of the file name between which the day is inserted.
    private let parts: [String]

    init(_ path: String) throws {
        var parts = [""]
        var rest = path[...]
        while let character = rest.popFirst() {
            switch character == "%" ? rest.popFirst() : nil {
            case nil where character != "%": parts[parts.count - 1].append(character)
            case "%": parts[parts.count - 1] += "%"
            case "F": parts.append("")
            case let other:
                throw UsageError(
                    "--output takes %F for the day on which the run began, and %% for a percent sign, not "
                        + "“%\(other.map(String.init) ?? "")”.")
            }
        }
        guard !parts.dropFirst().joined().contains("/") else {
            throw UsageError("--output takes %F in the name of the file, not of its folder.")
        }
        folder = parts[0].lastIndex(of: "/").map { String(parts[0][...$0]) } ?? ""
        self.parts = [String(parts[0].dropFirst(folder.count))] + parts.dropFirst()
    }

    /// Returns the name that stands for exactly this path.
    static func quoted(_ path: String) -> String { path.replacingOccurrences(of: "%", with: "%%") }

    func path(on day: ExistDay) -> String { folder + parts.joined(separator: day.description) }

    var hasDay: Bool { parts.count > 1 }

    /// The path of the newest file that matches the pattern.
    func newest() -> String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        return names.compactMap { name in
            ExistDay(String(name.dropFirst(parts[0].count).prefix(10))).flatMap { day in
                path(on: day) == folder + name ? day : nil
            }
        }.max().map(path)
    }
}

extension ExportOptions {
    /// Returns the accounts for which a service failed in the newest run with this name before today's. They come last
    /// in a new run. Returns none if that run's results cannot be read, because only the order depends on them.
    func failedBefore() -> Set<HashKey> {
        guard let outputName, outputName.hasDay, let newest = outputName.newest(), newest != output,
            let file = SystemFile(reading: newest), file.isRegular, let scan = try? ResumeScan(file)
        else { return [] }
        return scan.failedAtService
    }

    /// Returns the options of a new run. With `--resume`, returns those of the newest matching run if that run is not
    /// finished.
    ///
    /// - Throws: `UsageError` if accounts are to be repeated, but there are no results yet, or only those in another
    ///   file.
    func continuing() throws -> ExportOptions {
        let newest = resume ? outputName?.newest() : nil
        guard let newest,
            let record = try RunRecord(at: OutputPath(newest).beside(RunRecord.suffix)), !record.finished,
            let window = record.window(window)
        else {
            guard retried != nil, let output, try !OutputPath(output).isTaken else { return self }
            throw UsageError(
                "--retry repeats accounts of earlier results, and \(output) has no results yet"
                    + (newest.map { ". For the newest run, use --output \(OutputName.quoted($0))." }
                        ?? ": leave it out for a first run."))
        }
        var options = self
        options.output = newest
        options.window.began = window.began
        options.window.today = window.today
        return options
    }
}

/// A locked file of results, from which accounts can be erased.
struct ErasableResults {
    private let file: LinesFile
    /// The length of the complete lines.
    private let wholeLength: Int
    /// The accounts, and the range of each account's line. They are found by key, because names that look the same may
    /// differ.
    let lines: [HashKey: (account: AccountID, range: Range<Int>)]

    init(_ path: String) throws {
        let location = try OutputPath(path)
        guard location.isTaken else { throw UsageError("There is no \(path).") }
        file = try LinesFile(results: location)
        var lines: [HashKey: (account: AccountID, range: Range<Int>)] = [:]
        // Refuses any file that does not contain results, because the file will be rewritten.
        wholeLength = try ResumeScan(file.file) { lines[$0.key] = ($0, $1) }.wholeLength
        self.lines = lines
    }

    /// Rewrites the file without the lines of these accounts, and without a partial line at its end. Returns
    /// descriptions of what was erased.
    func erase(_ accounts: [AccountID]) throws -> [String] {
        let found = accounts.compactMap { lines[$0.key] }
        try file.truncate(toLines: wholeLength)
        if !found.isEmpty { try file.drop(found.map(\.range).sorted { $0.lowerBound < $1.lowerBound }) }
        return found.map { "Erased from \(file.name): the line of \($0.account.title)." }
    }
}
