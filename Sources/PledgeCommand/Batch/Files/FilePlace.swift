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

/// An open file.
protocol RawFile: AnyObject {
    /// Takes some of the bytes, as `write(2)` does.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int
    /// Makes it that long, and goes to its end.
    func truncate(to length: Int) throws(SystemError)
    func length() throws(SystemError) -> Int
    func sync() throws(SystemError)
    /// Keeps others from it, if nobody has done so already.
    func lock() -> Bool
}

/// What a call to the system came to, as `errno` says it.
struct SystemError: Error, Equatable {
    var code: Int32
}

extension RawFile {
    /// Writes everything, however many calls it takes.
    func writeAll(_ bytes: [UInt8], name: String) throws {
        try bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                do throws(SystemError) {
                    rest = rest.dropFirst(try write(UnsafeRawBufferPointer(rebasing: rest)))
                } catch {
                    throw StopError(writing: name, error.code)
                }
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
