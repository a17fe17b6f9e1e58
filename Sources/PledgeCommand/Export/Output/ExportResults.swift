import PledgeBatch
import PledgeFiles

/// The destination of results: a file or standard output.
final class ExportResults {
    /// The results of an earlier run.
    private(set) var earlier = ResumeScan()
    private let lines: LinesFile
    var name: String { lines.name }
    var file: any RawFile { lines.file }

    init(_ stream: SystemFile) { lines = LinesFile(stream) }

    /// Opens and locks a file. Start with ``begin()`` or ``resume(retrying:)``.
    init(at location: any FileLocation) throws {
        lines = try LinesFile(at: location, continuing: "continue with --resume")
    }

    func begin() throws {
        guard try !file.isDatabase else { throw UsageError("\(name) is a SQLite database: choose another file.") }
        guard try file.length() == 0 else {
            throw UsageError("\(name) has results: add --resume to continue them, or choose another file.")
        }
    }

    /// Reads the existing content without changing it.
    ///
    /// - Parameter onLine: Receives each account with its line.
    func scan(_ onLine: (AccountID, Range<Int>) -> Void = { _, _ in }) throws {
        earlier = try ResumeScan(file, onLine)
    }

    /// Continues after the scanned content.
    ///
    /// - Parameter retried: The accounts whose lines are removed, so that they are done again.
    func resume(retrying retried: Set<HashKey>) throws {
        let failures = earlier.failures.filter { retried.contains($0.key) }
        try erase(failures.map(\.lines))
        if !failures.isEmpty { try scan() }
    }

    /// Removes these of the scanned lines, and a partial last one.
    func erase(_ erased: [Range<Int>]) throws {
        try lines.keep(earlier.wholeLength)
        if !erased.isEmpty { try lines.drop(erased) }
    }

    /// Writes lines durably.
    func write(_ finished: [LineBuffer]) throws {
        try lines.append { write in
            for line in finished { try line.finish(write) }
        }
    }

    /// Checks that the results are still in their place, so that success is not reported for results that are gone.
    func checkLocation() throws { try lines.checkLocation() }
}
