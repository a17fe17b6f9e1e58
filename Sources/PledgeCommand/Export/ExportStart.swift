import ExistKit
import Foundation
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// The beginning of a run: creates the results, or continues existing results if they belong to the same run.
struct ExportStart {
    let lines: LinesFile
    private(set) var earlier = ResumeScan()
    /// The servers that the accounts in the results use. If the input is a file, the servers of its accounts are
    /// included. Nil without `--resume`.
    private(set) var servers: BatchServers?
    /// The days to request. If the run continues results, they are the days of the earlier run.
    private(set) var window: ExportDays
    /// The number of accounts that are repeated. Their old lines have been removed.
    private(set) var retried = 0
    /// The repeated accounts for which a service failed in the earlier run.
    private(set) var failedBefore: Set<HashKey> = []
    /// The number of accounts that have a line in the results but are not in the input; 0 if the input's accounts are
    /// unknown.
    private(set) var unknown = 0
    /// The number of accounts that would be repeated if the input were a file.
    private(set) var unretried = 0
    /// The record of the run, and its location; nil for results that cannot be continued.
    private var record: (location: any FileLocation, content: RunRecord)?

    var done: Set<HashKey> { earlier.done }

    /// Starts results that go to standard output, a device, or a pipe. Such results cannot be continued.
    init(_ stream: SystemFile, _ options: ExportOptions) {
        lines = LinesFile(stream)
        window = options.window
    }

    /// Starts results in a file, or continues the results that the file contains. Throws a usage error if the file
    /// belongs to another run.
    ///
    /// - Parameters:
    ///   - accounts: The accounts of the input; nil if they are unknown.
    ///   - servers: The servers of the input's accounts, as far as they are known.
    init(
        at location: any FileLocation, _ options: ExportOptions, accounts: Set<HashKey>?, servers: BatchServers
    ) throws {
        lines = try LinesFile(results: location)
        window = options.window
        if options.resume {
            earlier = try ResumeScan(lines.file)
        } else if try lines.file.isDatabase {
            throw UsageError("\(lines.name) is a SQLite database: choose another file.")
        } else if try lines.file.length() > 0 {
            throw UsageError("\(lines.name) has results: add --resume to continue them, or choose another file.")
        }
        var record = RunRecord(options, servers)
        let place = try location.beside(RunRecord.suffix)
        if earlier.done.isEmpty {
            try record.write(to: place)
        } else {
            (record, window) = try record.begun(at: place, of: location, window)
        }
        self.record = (place, record)
        if options.resume { try resume(location, options, accounts: accounts, servers: servers) }
    }

    /// Checks that the accounts of the results use these servers, and removes the lines of the accounts to repeat.
    private mutating func resume(
        _ location: any FileLocation, _ options: ExportOptions, accounts: Set<HashKey>?, servers: BatchServers
    ) throws {
        var known = servers
        for (service, address) in earlier.addresses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try known.take(service, own: address, from: location.path)
        }
        self.servers = known
        let again = try again(options, accounts)
        failedBefore = earlier.failedAtService.intersection(again)
        if let accounts { unknown = done.subtracting(accounts).count }
        // If this process is killed while lines are removed, the next run must not take the results for finished.
        try save(isFinished: false)
        try lines.truncate(toLines: earlier.wholeLength)
        if !again.isEmpty {
            try lines.drop(earlier.failures.filter { again.contains($0.id.key) }.map(\.lines))
            earlier = try ResumeScan(lines.file)
        }
        retried = again.count
    }

    /// Records whether every account has a line. If every account has one, a run on another day starts new results.
    mutating func save(isFinished: Bool) throws {
        guard let location = record?.location, record?.content.finished != isFinished else { return }
        record?.content.finished = isFinished
        try record?.content.write(to: location)
    }

    /// Returns the accounts to repeat. They are all in the input. If an account is not in the input, its line is kept,
    /// because this run would not write a new one.
    private mutating func again(_ options: ExportOptions, _ accounts: Set<HashKey>?) throws -> Set<HashKey> {
        let failures = earlier.failures.filter { failure in
            options.retried.map { !$0.isDisjoint(with: ["all", failure.kind]) } ?? failure.isPassing
        }
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
