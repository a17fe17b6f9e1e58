/// Where results go: a file or standard output, with or without tables beside it.
final class ResultsFile {
    var name: String { file.name }
    /// What an earlier run has done.
    private(set) var earlier = ResumeScan()
    private var file: any RawFile
    /// Where a file of ours is, which is cut back to whole lines when writing fails; nil for standard output, devices and
    /// pipes.
    private let place: (any FilePlace)?
    private let isSynced: Bool
    private var length = 0
    private var tables: [CSVTable: TableFile] = [:]

    /// Standard output, a device or a pipe.
    init(_ stream: SystemFile) {
        file = stream
        place = nil
        isSynced = stream.isRegular
    }

    /// A file, which nobody else writes from now on. Begun with ``begin(withTables:)`` or ``resume(retrying:withTables:)``.
    init(at place: any FilePlace) throws {
        self.place = place
        file = try place.open()
        isSynced = true
        // Whoever had it until now may have put another file in its place.
        guard file.lock(), place.holds(file) else {
            throw Failure("Another export is writing \(place.named): wait for it, or name another file.")
        }
        try place.syncFolder()
    }

    func begin(withTables: Bool) throws {
        guard try !file.isDatabase else { throw UsageError("\(name) is a SQLite database: name another file.") }
        guard try file.length() == 0 else {
            throw UsageError("\(name) has results in it: add --resume to go on with them, or name another file.")
        }
        try openTables(withTables, done: nil)
    }

    /// Reads what is there already, and changes nothing.
    func scan() throws {
        earlier = try ResumeScan(file)
    }

    /// Goes on after what was scanned.
    ///
    /// - Parameter retried: the accounts whose lines are taken out, so that they are done again.
    func resume(retrying retried: Set<AccountKey>, withTables: Bool) throws {
        let hasTables = try place?.beside(CSVTable.values.path(beside:)).isTaken ?? false
        if !earlier.done.isEmpty, withTables != hasTables {
            throw UsageError(
                withTables
                    ? "\(name) was written without tables, which would lack its accounts: leave out --format csv."
                    : "\(name) has tables beside it, which would lack accounts: add --format csv.")
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

    /// What is whole counts as done from now on, so it has to stay: whoever wrote it may have died before it was synced.
    private func keep(_ length: Int) throws {
        try file.truncate(to: length)
        try file.sync()
        self.length = length
    }

    /// Puts a copy without some lines in the file's place.
    private func drop(_ lines: [Range<Int>]) throws {
        guard let place else { return }
        let copy = try Replacement(of: place, old: file)
        guard copy.file.lock() else { throw StopError("Another program holds the copy of \(name).") }
        var start = 0
        for end in lines + [length..<length] {
            while start < end.lowerBound {
                let kept = try file.read(min(256 << 10, end.lowerBound - start), at: start)
                guard !kept.isEmpty else { throw StopError("\(name) was cut off while it was read.") }
                try copy.file.writeAll(kept)
                start += kept.count
            }
            start = end.upperBound
        }
        try copy.takePlace()
        file = copy.file
    }

    /// Writes lines and makes sure that they stay, rows of tables first: a row without a line is cut off at a resume, a
    /// line without its rows could not be told.
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
            // Half a line would be in the way of whoever reads the file before it is resumed.
            if place != nil { try? file.truncate(to: length) }
            throw error
        }
    }

    /// That what was written is where it was to be: nobody is to be told of results that are gone.
    func checkPlace() throws {
        guard let place else { return }
        try Self.check(place, file)
        for (_, table) in tables { try table.checkPlace() }
    }

    static func check(_ place: any FilePlace, _ file: any RawFile) throws {
        guard !place.holds(file) else { return }
        guard let now = place.whereabouts(of: file) else {
            throw StopError("\(place.named) was deleted while it was written, and what was in it is gone: start again.")
        }
        throw StopError(
            "\(place.named) was renamed while it was written: what was written until then is in \(now). "
                + "Move it back, and go on with --resume.")
    }
}
