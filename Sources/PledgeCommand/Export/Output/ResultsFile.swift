import PledgeBatch

/// The destination of results: a file or standard output.
final class ResultsFile {
    var name: String { file.name }
    /// The results of an earlier run.
    private(set) var earlier = ResumeScan()
    private(set) var file: any RawFile
    /// The place of a file, which is truncated to whole lines if writing fails; nil for standard output, devices, and
    /// pipes.
    private let place: (any FilePlace)?
    private let isSynced: Bool
    private var length = 0

    /// Creates results for standard output, a device, or a pipe.
    init(_ stream: SystemFile) {
        file = stream
        place = nil
        isSynced = stream.isRegular
    }

    /// Opens and locks a file. Start with ``begin()`` or ``resume(retrying:)``.
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

    func begin() throws {
        guard try !file.isDatabase else { throw UsageError("\(name) is a SQLite database: choose another file.") }
        guard try file.length() == 0 else {
            throw UsageError("\(name) has results: add --resume to continue them, or choose another file.")
        }
    }

    /// Reads the existing content without changing it.
    func scan() throws {
        earlier = try ResumeScan(file)
    }

    /// Continues after the scanned content.
    ///
    /// - Parameter retried: The accounts whose lines are removed, so that they are done again.
    func resume(retrying retried: Set<HashKey>) throws {
        try keep(earlier.wholeLength)
        let lines = earlier.failures.filter { retried.contains($0.key) }.map(\.lines)
        if !lines.isEmpty {
            try drop(lines)
            try scan()
            try keep(earlier.wholeLength)
        }
    }

    /// Removes these of the scanned lines, and a partial last one.
    func erase(_ lines: [Range<Int>]) throws {
        try keep(earlier.wholeLength)
        try drop(lines)
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

    /// Writes lines durably.
    func write(_ drafts: [Draft]) throws {
        try checkPlace()
        do {
            let lines = try drafts.map { try $0.finish() }
            let count = lines.reduce(0) { $0 + $1.count }
            var gathered: [UInt8] = []
            gathered.reserveCapacity(min(count, 2 << 20))
            for line in lines {
                try line.forEachPiece { piece in
                    gathered += piece
                    guard gathered.count > 1 << 20 else { return }
                    try file.writeAll(gathered)
                    gathered.removeAll(keepingCapacity: true)
                }
            }
            try file.writeAll(gathered)
            if isSynced { try file.sync() }
            length += count
        } catch {
            // A partial line would disturb readers of the file before it is resumed.
            if place != nil { try? file.truncate(to: length) }
            throw error
        }
    }

    /// Checks that the results are still in their place, so that success is not reported for results that are gone.
    func checkPlace() throws {
        guard let place, !place.holds(file) else { return }
        guard let now = place.whereabouts(of: file) else {
            throw StopError("\(name) was deleted during the export, with its content: start again.")
        }
        throw StopError(
            "\(name) was renamed during the export; its content is in \(now). "
                + "Move it back, and continue with --resume.")
    }
}
