/// The destination of results: a file or standard output, with or without tables beside it.
final class ResultsFile {
    var name: String { file.name }
    /// The results of an earlier run.
    private(set) var earlier = ResumeScan()
    private var file: any RawFile
    /// The place of a file, which is truncated to whole lines if writing fails; nil for standard output, devices, and
    /// pipes.
    private let place: (any FilePlace)?
    private let isSynced: Bool
    private var length = 0
    private var tables: [CSVTable: TableFile] = [:]

    /// Creates results for standard output, a device, or a pipe.
    init(_ stream: SystemFile) {
        file = stream
        place = nil
        isSynced = stream.isRegular
    }

    /// Opens and locks a file. Start with ``begin(withTables:)`` or ``resume(retrying:withTables:)``.
    init(at place: any FilePlace) throws {
        self.place = place
        file = try place.open()
        isSynced = true
        // The process that held it until now may have replaced the file.
        guard file.lock(), place.holds(file) else {
            throw Failure("Another export is writing \(place.named): wait for it, or choose another file.")
        }
        try place.syncFolder()
    }

    func begin(withTables: Bool) throws {
        guard try !file.isDatabase else { throw UsageError("\(name) is a SQLite database: choose another file.") }
        guard try file.length() == 0 else {
            throw UsageError("\(name) has results: add --resume to continue them, or choose another file.")
        }
        try openTables(withTables, done: nil)
    }

    /// Reads the existing content without changing it.
    func scan() throws {
        earlier = try ResumeScan(file)
    }

    /// Continues after the scanned content.
    ///
    /// - Parameter retried: The accounts whose lines are removed, so that they are done again.
    func resume(retrying retried: Set<AccountKey>, withTables: Bool) throws {
        let hasTables = try place?.beside(CSVTable.values.path(beside:)).isTaken ?? false
        if !earlier.done.isEmpty, withTables != hasTables {
            throw UsageError(
                withTables
                    ? "\(name) was written without tables, which would be incomplete: omit --format csv."
                    : "\(name) has tables beside it, which would become incomplete: add --format csv.")
        }
        try keep(earlier.wholeLength)
        let lines = earlier.failures.filter { retried.contains($0.key) }.map(\.lines)
        if !lines.isEmpty {
            try drop(lines)
            try scan()
            try keep(earlier.wholeLength)
        }
        try openTables(withTables, done: earlier.done)
    }

    private func openTables(_ isWanted: Bool, done: Set<AccountKey>?) throws {
        guard isWanted, let place else { return }
        for table in CSVTable.allCases {
            tables[table] = try TableFile(table, at: place.beside(table.path(beside:)), done: done)
        }
    }

    /// Complete lines count as done from now on, so they must be durable: their writer may have died before a sync.
    private func keep(_ length: Int) throws {
        try file.truncate(to: length)
        try file.sync()
        self.length = length
    }

    /// Replaces the file with a copy that lacks some lines.
    private func drop(_ lines: [Range<Int>]) throws {
        guard let place else { return }
        let copy = try Replacement(of: place, old: file)
        guard copy.file.lock() else { throw StopError("Another program holds the copy of \(name).") }
        var start = 0
        for end in lines + [length..<length] {
            while start < end.lowerBound {
                let kept = try file.read(min(256 << 10, end.lowerBound - start), at: start)
                guard !kept.isEmpty else { throw StopError("\(name) was truncated while it was read.") }
                try copy.file.writeAll(kept)
                start += kept.count
            }
            start = end.upperBound
        }
        try copy.takePlace()
        file = copy.file
    }

    /// Writes lines durably, rows of tables first: a row without a line is cut off when resuming, but a
    /// line without its rows could not be detected.
    func write(_ drafts: [Draft]) throws {
        try checkPlace()
        do {
            let finished = try drafts.map { try $0.finish() }
            for (table, file) in tables.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                try file.write(finished.compactMap { $0.tables[table] })
            }
            var gathered: [UInt8] = []
            gathered.reserveCapacity(min(finished.reduce(0) { $0 + $1.line.count }, 2 << 20))
            for (line, _) in finished {
                try line.forEachPiece { piece in
                    gathered += piece
                    guard gathered.count > 1 << 20 else { return }
                    try file.writeAll(gathered)
                    gathered.removeAll(keepingCapacity: true)
                }
            }
            try file.writeAll(gathered)
            if isSynced { try file.sync() }
            length += finished.reduce(0) { $0 + $1.line.count }
        } catch {
            // A partial line would disturb readers of the file before it is resumed.
            if place != nil { try? file.truncate(to: length) }
            throw error
        }
    }

    /// Checks that the results are still in their place, so that success is not reported for results that are gone.
    func checkPlace() throws {
        guard let place else { return }
        try Self.check(place, file)
        for (_, table) in tables { try table.checkPlace() }
    }

    static func check(_ place: any FilePlace, _ file: any RawFile) throws {
        guard !place.holds(file) else { return }
        guard let now = place.whereabouts(of: file) else {
            throw StopError("\(place.named) was deleted during the export, with its content: start again.")
        }
        throw StopError(
            "\(place.named) was renamed during the export; its content is in \(now). "
                + "Move it back, and continue with --resume.")
    }
}
