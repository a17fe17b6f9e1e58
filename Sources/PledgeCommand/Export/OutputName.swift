import ExistKit
import Foundation
import PledgeCoding
import PledgeFiles

/// The path of results as the user gave it. In the name of the file, `%F` stands for the day on which the run began,
/// and `%%` stands for a percent sign.
struct OutputName {
    private let folder: String
    /// The parts of the file name that `%F` separates. The day is inserted between the parts.
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

    /// Returns the text for `--output` that stands for exactly this path.
    static func quoted(_ path: String) -> String { path.replacingOccurrences(of: "%", with: "%%") }

    func path(on day: ExistDay) -> String { folder + parts.joined(separator: day.description) }

    var hasDay: Bool { parts.count > 1 }

    /// Returns the path of the file with the latest day among the files that match the pattern; nil if there are none.
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
    /// Returns the accounts for which a service failed in the latest earlier run whose file matches the pattern. A new
    /// run processes these accounts last.
    ///
    /// If the results of that earlier run cannot be read, returns no accounts. The error is ignored, because it only
    /// affects the order in which the new run processes its accounts.
    func failedBefore() -> Set<HashKey> {
        guard let outputName, outputName.hasDay, let newest = outputName.newest(), newest != output,
            let file = SystemFile(reading: newest), file.isRegular, let scan = try? ResumeScan(file)
        else { return [] }
        return scan.failedAtService
    }

    /// Returns the options for this run. If `--resume` was given, and the latest run whose file matches the pattern is
    /// not finished, the returned options continue that run. Otherwise, they are these options, unchanged.
    ///
    /// - Throws: `UsageError` if `--retry` was given but this run's file does not exist yet, because then there is
    ///   nothing to repeat.
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
