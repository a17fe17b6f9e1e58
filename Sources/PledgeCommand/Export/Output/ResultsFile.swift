import Foundation

/// Where results go: a file or standard output, with or without tables beside it.
final class ResultsFile {
    let name: String
    /// What an earlier run has done.
    private(set) var done: Set<AccountKey> = []
    private(set) var resumed: (succeeded: Int, failed: Int) = (0, 0)
    private var descriptor: Int32
    private let isRegular: Bool
    /// Where a file of ours is, which is cut back to whole lines when writing fails; nil for standard output, devices and
    /// pipes.
    private let place: FilePlace?
    private var length = 0
    private var tables: [CSVTable: TableFile] = [:]

    /// Standard output.
    init() {
        name = "standard output"
        descriptor = STDOUT_FILENO
        isRegular = Self.isRegular(STDOUT_FILENO)
        place = nil
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
        var status = stat()
        let isThere = stat(path, &status) == 0
        guard isThere, status.st_mode & S_IFMT != S_IFREG else {
            let place = try FilePlace(path)
            self.place = place
            descriptor = try place.open(O_RDWR | O_CREAT)
            isRegular = true
            try takeHold(of: place)
            try begin(resume: resume, retryFailed: retryFailed, withTables: withTables)
            return
        }
        // Not everything that can be written can be read.
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        if descriptor < 0 { descriptor = open(path, O_WRONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw FilePlace.failure(path, errno) }
        (place, isRegular) = (nil, Self.isRegular(descriptor))
        guard !isRegular else { throw Failure("\(path) cannot be written: it was something else a moment ago.") }
    }

    deinit {
        if descriptor != STDOUT_FILENO { close(descriptor) }
    }

    /// Nobody else writes it from now on.
    private func takeHold(of place: FilePlace) throws {
        // Whoever had it until now may have put another file in its place.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isRegular(descriptor), place.holds(descriptor) else {
            throw Failure("Another export is writing \(name): wait for it, or name another file.")
        }
        try place.syncFolder()
    }

    private func begin(resume: Bool, retryFailed: Bool, withTables: Bool) throws {
        if resume {
            try continueFile(retryFailed: retryFailed, withTables: withTables)
        } else {
            guard lseek(descriptor, 0, SEEK_END) == 0 else {
                throw UsageError("\(name) has results in it: add --resume to go on with them, or name another file.")
            }
        }
        if withTables {
            for table in CSVTable.allCases {
                tables[table] = try TableFile(table, beside: name, done: resume ? done : nil)
            }
        }
    }

    private func continueFile(retryFailed: Bool, withTables: Bool) throws {
        let scan = try ResumeScan(descriptor, name: name)
        try truncate(to: scan.wholeLength)
        let isKnownToHaveTables = try FilePlace(CSVTable.values.path(beside: name), followingLink: false).isTaken
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

    /// Puts a copy without some lines in the file's place.
    private func dropLines(_ dropped: [Range<Int>]) throws {
        guard let place else { return }
        let copy = try Replacement(of: place, old: descriptor)
        guard flock(copy.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw StopError(writing: name, errno) }
        var start = 0
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        for end in dropped.map({ ($0.lowerBound, $0.upperBound) }) + [(length, length)] {
            while start < end.0 {
                let count = pread(descriptor, &buffer, min(buffer.count, end.0 - start), off_t(start))
                guard count > 0 else { throw Failure("\(name) cannot be read: \(String(cString: strerror(errno))).") }
                try copy.write(Array(buffer[..<count]))
                start += count
            }
            start = end.1
        }
        try copy.takePlace()
        close(descriptor)
        descriptor = copy.descriptor
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
            if place != nil { _ = ftruncate(descriptor, off_t(length)) }
            throw error
        }
    }

    private static func isRegular(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
