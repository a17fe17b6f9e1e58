import Foundation
import PledgeBatch
import PledgeFiles

/// Creates the results of a run, or continues them if it is the same run.
struct ExportStart {
    let lines: LinesFile
    /// The results of an earlier run.
    private(set) var earlier = ResumeScan()
    /// The tables to make of the results when the run ends.
    private(set) var tables: TableFiles?
    /// The servers of the results and of the input, if it can be read twice; nil for results that cannot be continued.
    private(set) var servers: BatchServers?
    /// The days to request: those of the run that is continued.
    private(set) var window: ExportDays
    /// The number of accounts whose lines are removed, to be done again.
    private(set) var retried = 0
    /// The number of accounts that have a line and are not in the input; 0 if unknown.
    private(set) var unknown = 0
    /// The number of errors that would be retried if the input were a file.
    private(set) var unretried = 0
    /// The record of the run, and where it is; nil for results that cannot be continued.
    private var record: (location: any FileLocation, content: RunRecord)?

    /// The accounts that are finished and not retried.
    var done: Set<HashKey> { earlier.done }

    /// Standard output, a device, or a pipe, which cannot be continued.
    init(_ stream: SystemFile, _ options: ExportOptions) {
        (lines, window) = (LinesFile(stream), options.window)
    }

    /// - Parameters:
    ///   - accounts: The accounts of the input; nil if unknown in advance.
    ///   - servers: The servers of the input, as far as they are known in advance.
    init(
        at location: any FileLocation, _ options: ExportOptions, accounts: Set<HashKey>?, servers: BatchServers
    ) throws {
        (lines, window) = (try LinesFile(results: location), options.window)
        let record = RunRecord(options, servers)
        let place = try location.beside(RunRecord.path(beside:))
        if options.resume {
            earlier = try ResumeScan(lines.file)
        } else if try lines.file.isDatabase {
            throw UsageError("\(lines.name) is a SQLite database: choose another file.")
        } else if try lines.file.length() > 0 {
            throw UsageError("\(lines.name) has results: add --resume to continue them, or choose another file.")
        }
        tables = try options.csv ? TableFiles(beside: location, replacing: options.resume) : nil
        if earlier.done.isEmpty {
            try record.write(to: place)
            self.record = (place, record)
        } else {
            if !options.csv, try location.beside(CSVTable.values.path(beside:)).isTaken {
                throw UsageError(
                    "\(location.named) has tables beside it, which would become outdated: add --format csv.")
            }
            guard let begun = try RunRecord(at: place), let window = begun.window(window) else {
                throw UsageError(
                    "\(location.named) has no \(place.named) beside it that states what was requested, and on which day: "
                        + "choose another file.")
            }
            let differences = begun.differences(from: record)
            guard differences.isEmpty else {
                throw UsageError(
                    "\(location.named) was started with other options: \(differences.joined(separator: "; ")). "
                        + "Use the same, or choose another file.")
            }
            (self.window, self.record) = (window, (place, begun))
        }
        guard options.resume else { return }
        var known = servers
        for (service, address) in earlier.addresses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try known.take(service, own: address, from: location.named)
        }
        self.servers = known
        let again = try again(options, accounts)
        if let accounts { unknown = done.subtracting(accounts).count }
        try lines.keep(earlier.wholeLength)
        if !again.isEmpty {
            try lines.drop(earlier.failures.filter { again.contains($0.id.key) }.map(\.lines))
            earlier = try ResumeScan(lines.file)
        }
        try save(isFinished: false)
        retried = again.count
    }

    /// Records whether every account has a line, so that a run that begins on another day is another one.
    mutating func save(isFinished: Bool) throws {
        guard let location = record?.location, record?.content.finished != isFinished else { return }
        record?.content.finished = isFinished
        try record?.content.write(to: location)
    }

    /// Only accounts of the input are retried: the line of another would be lost.
    private mutating func again(_ options: ExportOptions, _ accounts: Set<HashKey>?) throws -> Set<HashKey> {
        let failures = earlier.failures.filter { options.retried?.holds($0.kind) ?? $0.isPassing }
        let chosen = Set(failures.map(\.id.key))
        if let accounts { return chosen.intersection(accounts) }
        guard options.retried == nil else {
            throw UsageError(
                "--retry requires the accounts in a file, because those of a pipe are not known in advance.")
        }
        unretried = chosen.count
        return []
    }
}
