/// Where a file is or is to be: the few calls that results take, so that tests can have disks that fail.
protocol FilePlace: AnyObject {
    /// As the person said it, for messages.
    var named: String { get }
    /// Whether anything is there, a link included.
    var isTaken: Bool { get }

    /// Opens what is there, or makes it, for reading and writing, with the position at its end.
    func open() throws -> any RawFile
    /// Whether what is there is still the file that was opened.
    func holds(_ file: any RawFile) -> Bool
    /// What the file that was opened is called now; nil if it has no name any more.
    func whereabouts(of file: any RawFile) -> String?
    /// A place in the same folder whose name is ours and not the person's.
    func beside(_ name: (String) -> String) throws -> any FilePlace
    /// Makes a file beside it, under a name that nobody can have put something at.
    ///
    /// - Parameter old: whose mode and owner it has; without one it is for its owner alone.
    func makeNeighbor(like old: (any RawFile)?) throws -> (file: any RawFile, name: String)
    func moveHere(_ neighbor: String) throws
    func removeNeighbor(_ neighbor: String)
    /// Makes sure that names stay, too.
    func syncFolder() throws
}

/// A file that is open; a test has one whose disk can be full.
protocol RawFile: AnyObject {
    /// What it is called in messages.
    var name: String { get }

    /// Takes some of the bytes, as `write(2)` does: at its position, unless a place is given.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int?) throws(StopError) -> Int
    /// Gives some of the bytes of a place; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StopError) -> Int
    /// Makes it that long, and goes to its end.
    func truncate(to length: Int) throws(StopError)
    func length() throws(StopError) -> Int
    func sync() throws(StopError)
    /// Keeps others from it, if nobody has done so already.
    func lock() -> Bool
}

extension RawFile {
    /// Whether it begins as SQLite's files do.
    var isDatabase: Bool {
        get throws { try read(16, at: 0).elementsEqual("SQLite format 3\0".utf8) }
    }

    /// Writes everything, however many calls it takes.
    func writeAll(_ bytes: some Collection<UInt8>, at offset: Int? = nil) throws {
        try Array(bytes).withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                done += try write(UnsafeRawBufferPointer(rebasing: buffer[done...]), at: offset.map { $0 + done })
            }
        }
    }

    /// Reads so many bytes of a place; fewer where the file ends before.
    func read(_ length: Int, at offset: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let more = try read(into: rest, at: offset + count)
                guard more > 0 else { return }
                count += more
            }
        }
    }

    /// Reads from the beginning, a piece at a time.
    var pieces: (UnsafeMutableRawBufferPointer) throws -> Int {
        var offset = 0
        return { buffer in
            let count = try self.read(into: buffer, at: offset)
            offset += count
            return count
        }
    }
}
