import Foundation

/// Where results go: a file or standard output, with or without tables beside it.
final class ResultsFile {
    let name: String
    /// What an earlier run has done.
    private(set) var done: Set<AccountKey> = []
    private(set) var resumed: (succeeded: Int, failed: Int) = (0, 0)
    private var descriptor: Int32
    private let isRegular: Bool
    /// Whether this is a file of ours, which is cut back to whole lines when writing fails.
    private let isOurs: Bool
    private var length = 0
    private var tables: [CSVTable: TableFile] = [:]

    /// Standard output.
    init() {
        name = "standard output"
        descriptor = STDOUT_FILENO
        isRegular = Self.isRegular(STDOUT_FILENO)
        isOurs = false
    }

    /// A file.
    ///
    /// - Parameters:
    ///   - path: where.
    ///   - resume: whether to go on with what is there already.
    ///   - retryFailed: whether to take out the lines of accounts that failed, so that they are done again.
    ///   - withTables: whether to write tables beside it.
    init(_ path: String, resume: Bool, retryFailed: Bool, withTables: Bool) throws {
        name = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        let reason = errno
        // Not everything that can be written can be read.
        if descriptor < 0 { descriptor = open(path, O_WRONLY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            throw Failure("\(path) cannot be written: \(String(cString: strerror(reason))).")
        }
        isRegular = Self.isRegular(descriptor)
        isOurs = isRegular
        guard isRegular else { return }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw Failure("Another export is writing \(path): wait for it, or name another file.")
        }
        if resume {
            try continueFile(retryFailed: retryFailed, withTables: withTables)
        } else {
            guard lseek(descriptor, 0, SEEK_END) == 0 else {
                throw UsageError("\(path) has results in it: add --resume to go on with them, or name another file.")
            }
        }
        if withTables {
            for table in CSVTable.allCases {
                tables[table] = try TableFile(table, beside: path, done: resume ? done : nil)
            }
        }
    }

    deinit {
        if isOurs { close(descriptor) }
    }

    private func continueFile(retryFailed: Bool, withTables: Bool) throws {
        let scan = try ResumeScan(descriptor, name: name)
        try truncate(to: scan.wholeLength)
        let isKnownToHaveTables = access(CSVTable.values.path(beside: name), F_OK) == 0
        if !scan.done.isEmpty, withTables != isKnownToHaveTables {
            throw UsageError(
                withTables
                    ? "\(name) was written without tables, which would lack its accounts: leave out --format csv."
                    : "\(name) has tables beside it, which would lack accounts: add --format csv.")
        }
        done = scan.done
        resumed = (scan.succeeded, scan.failed)
        guard retryFailed, !scan.failedLines.isEmpty else { return }
        try dropLines(scan.failedLines)
        let rest = try ResumeScan(descriptor, name: name)
        (done, resumed) = (rest.done, (rest.succeeded, 0))
        try truncate(to: rest.wholeLength)
    }

    private func truncate(to length: Int) throws {
        guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw StopError(writing: name, errno)
        }
        self.length = length
    }

    /// Puts a copy without some lines in the file's place, all at once.
    private func dropLines(_ dropped: [Range<Int>]) throws {
        let path = name + ".tmp"
        let copy = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard copy >= 0, flock(copy, LOCK_EX | LOCK_NB) == 0 else { throw StopError(writing: path, errno) }
        var start = 0
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        for end in dropped.map({ ($0.lowerBound, $0.upperBound) }) + [(length, length)] {
            while start < end.0 {
                let count = pread(descriptor, &buffer, min(buffer.count, end.0 - start), off_t(start))
                guard count > 0 else { throw Failure("\(name) cannot be read: \(String(cString: strerror(errno))).") }
                try writeAll(Array(buffer[..<count]), to: copy, name: path)
                start += count
            }
            start = end.1
        }
        guard fsync(copy) == 0, rename(path, name) == 0 else { throw StopError(writing: path, errno) }
        close(descriptor)
        descriptor = copy
    }

    /// Writes lines and makes sure that they stay, rows of tables first: a row without a line is cut off at a resume, a
    /// line without its rows could not be told.
    func write(_ drafts: [Draft]) throws {
        do {
            let finished = try drafts.map { try $0.finish() }
            for (table, file) in tables {
                try file.write(finished.compactMap { $0.tables[table] })
            }
            var gathered: [UInt8] = []
            for (line, _) in finished {
                try line.forEachPiece { piece in
                    gathered += piece
                    guard gathered.count > 1 << 20 else { return }
                    try writeAll(gathered, to: descriptor, name: name)
                    gathered.removeAll(keepingCapacity: true)
                }
            }
            try writeAll(gathered, to: descriptor, name: name)
            if isRegular, fsync(descriptor) != 0 { throw StopError(writing: name, errno) }
            length += finished.reduce(0) { $0 + $1.line.count }
        } catch {
            // Half a line would be in the way of whoever reads the file before it is resumed.
            if isOurs { _ = ftruncate(descriptor, off_t(length)) }
            throw error
        }
    }

    private static func isRegular(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
