import Foundation
import PledgeBatch
import PledgeFiles

/// Creates the results of a run, or continues them if it is the same run.
struct ExportStart {
    let file: ExportResults
    /// The tables to make of the results when the run ends.
    private(set) var tables: TableFiles?
    /// The servers of the results and of the input, if it can be read twice; nil for results that cannot be continued.
    private(set) var servers: BatchServers?
    /// The days to request: those of the run that is continued.
    var window: ExportDays
    /// The accounts that an earlier run finished with an error, by kind, and that are not retried.
    private(set) var failedBefore: [String: Int] = [:]
    var failed: Int { failedBefore.values.reduce(0, +) }
    /// The number of items that lines which stay lack because they could not be read.
    var unreadableBefore: Int { file.earlier.unreadable }
    /// The accounts whose lines are removed, to be done again.
    private(set) var retried = 0
    /// The number of lines of accounts that are not in the input; 0 if unknown.
    private(set) var strangers = 0
    /// The errors that would be retried if the input were a file.
    private(set) var unretried = 0
    /// The record of the run, and where it is; nil for results that cannot be continued.
    private var memory: (location: any FileLocation, record: RunRecord)?

    /// Standard output, a device, or a pipe, which cannot be continued.
    init(_ stream: SystemFile, _ options: ExportOptions) {
        file = ExportResults(stream)
        window = options.window
    }

    /// - Parameters:
    ///   - record: The record of the run, if it is a new one.
    ///   - accounts: The accounts of the input; nil if unknown in advance.
    ///   - servers: The servers of the input, as far as they are known in advance.
    init(
        at location: any FileLocation, _ options: ExportOptions, _ record: RunRecord, accounts: Set<HashKey>?,
        servers: BatchServers
    ) throws {
        file = try ExportResults(at: location)
        window = options.window
        let memory = try location.beside(RunRecord.path(beside:))
        guard options.resume else {
            try file.begin()
            tables = try options.csv ? TableFiles(beside: location, replacing: false) : nil
            try record.write(to: memory)
            self.memory = (memory, record)
            return
        }
        try file.scan()
        let isNew = file.earlier.done.isEmpty
        tables = try options.csv ? TableFiles(beside: location, replacing: true) : nil
        if !options.csv, !isNew, try location.beside(CSVTable.values.path(beside:)).isTaken {
            throw UsageError("\(location.named) has tables beside it, which would become outdated: add --format csv.")
        }
        self.memory = (memory, record)
        if !isNew, let earlier = try Self.record(at: memory, options) {
            let differences = earlier.differences(from: record)
            guard differences.isEmpty else {
                throw UsageError(
                    "\(location.named) was started with other options: \(differences.joined(separator: "; ")). "
                        + "Use the same, or choose another file.")
            }
            guard let window = earlier.window(window) else {
                throw UsageError(
                    "\(memory.named) does not state the day; --adopt treats the results as those of today's run.")
            }
            self.window = window
            self.memory?.record = earlier
        } else {
            if !isNew, !options.adopt {
                throw UsageError(
                    "\(location.named) has no \(memory.named) beside it, which states what was requested: --adopt treats "
                        + "its lines as results of the current options.")
            }
            try record.write(to: memory)
        }
        var servers = servers
        for (service, address) in file.earlier.addresses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try servers.take(service, own: address, from: location.named)
        }
        self.servers = servers
        let again = try again(options, accounts)
        if let accounts { strangers = file.earlier.done.subtracting(accounts).count }
        try file.resume(retrying: again)
        try save(isFinished: false)
        for failure in file.earlier.failures { failedBefore[failure.kind, default: 0] += 1 }
        retried = again.count
    }

    /// Records whether every account has a line, so that a run that begins on another day is another one.
    mutating func save(isFinished: Bool) throws {
        guard let (location, record) = memory, record.isFinished != isFinished else { return }
        memory?.record.isFinished = isFinished
        try memory?.record.write(to: location)
    }

    /// The accounts that are finished and not retried.
    var done: Set<HashKey> { file.earlier.done }

    private static func record(at location: any FileLocation, _ options: ExportOptions) throws -> RunRecord? {
        do {
            return try RunRecord(at: location)
        } catch  where options.adopt && error is UsageError {
            return nil
        }
    }

    /// Only accounts of the input are retried: the line of another would be lost.
    private mutating func again(_ options: ExportOptions, _ accounts: Set<HashKey>?) throws -> Set<HashKey> {
        let failures = file.earlier.failures.filter { options.retried?.holds($0.kind) ?? $0.isPassing }
        let chosen = Set(failures.map(\.key))
        if let accounts { return chosen.intersection(accounts) }
        guard options.retried == nil else {
            throw UsageError(
                "--retry requires the accounts in a file, because those of a pipe are not known in advance.")
        }
        unretried = chosen.count
        return []
    }
}
