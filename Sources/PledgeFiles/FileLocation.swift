import Foundation

/// The location of a file. The protocol has only the operations that are needed to write a file durably, so that tests
/// can simulate a disk that fails.
package protocol FileLocation: AnyObject {
    /// The path as the user wrote it, for messages.
    var path: String { get }
    /// Whether anything exists at the path, including a symbolic link.
    var isTaken: Bool { get }

    /// Opens the file for reading and writing, at its end. Creates the file if it doesn't exist.
    func open() throws -> any RawFile
    /// Returns whether the path still leads to this file, which was opened before.
    func holds(_ file: any RawFile) -> Bool
    /// Returns the current path of a file that was opened before, or nil if the file no longer has a name.
    func currentPath(of file: any RawFile) -> String?
    /// Returns the location whose path is this path plus a suffix. That location is for a file whose name the program
    /// chooses, and not the user.
    func beside(_ suffix: String) throws -> any FileLocation
    /// Creates and locks a new file in the same folder, under a name that nobody can predict. Before that, the method
    /// removes earlier files of this kind from the folder if their processes were killed.
    func makeTemporary() throws -> (file: any RawFile, name: String)
    func moveHere(_ temporary: String) throws
    func removeTemporary(_ temporary: String)
    func syncFolder() throws
}

/// An open file. Tests use an implementation whose disk can be full.
package protocol RawFile: AnyObject {
    var name: String { get }

    /// Writes some of the bytes, as `write(2)` does, and returns their number. If `offset` is nil, writes at the
    /// current position.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int?) throws(FileError) -> Int
    /// Reads some bytes at an offset, and returns their number. At the end of the file, the number is 0.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// Sets the length of the file, and moves the current position to its end.
    func truncate(to length: Int) throws(FileError)
    func length() throws(FileError) -> Int
    func sync() throws(FileError)
    /// Locks the file. Returns false if the file is already locked elsewhere.
    func lock() -> Bool
    func unlock()
}

extension RawFile {
    /// Whether the file begins with the header of an SQLite database.
    package var isDatabase: Bool {
        get throws { try read(16, at: 0).elementsEqual("SQLite format 3\0".utf8) }
    }

    /// Writes all bytes, in as many calls as that takes.
    package func writeAll(_ bytes: some Collection<UInt8>, at offset: Int? = nil) throws {
        try Array(bytes).withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                rest.removeFirst(try write(.init(rebasing: rest), at: offset.map { $0 + buffer.count - rest.count }))
            }
        }
    }

    /// Reads this many bytes at an offset, or fewer if the file ends before.
    package func read(_ length: Int, at offset: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let more = try read(into: rest, at: offset + count)
                guard more > 0 else { return }
                count += more
            }
        }
    }

    /// A closure that reads the file from its beginning, in pieces. Each call reads the next bytes into a buffer and
    /// returns their number.
    package var pieces: (UnsafeMutableRawBufferPointer) throws -> Int {
        var offset = 0
        return { buffer in
            let count = try self.read(into: buffer, at: offset)
            offset += count
            return count
        }
    }
}

/// The identity of a file. It is the same for all paths that lead to the file. A file that doesn't exist yet is
/// identified by its folder and its name.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    /// The name of the file, if the file doesn't exist yet. The other properties then identify its folder.
    private var name: String?

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }

    /// Creates the identity of an open file, or returns nil if it isn't a regular file. Devices and pipes have no
    /// identity, because several writers may share them.
    package init?(_ descriptor: Int32) {
        guard let status = fileStatus(descriptor), status.isRegular else { return nil }
        self.init(status)
    }

    /// Creates the identity of the file at a path, or returns nil if something other than a regular file exists there.
    package init?(path: String) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.isRegular else { return nil }
            self.init(status)
        } else {
            let url = URL(fileURLWithPath: path)
            guard stat(url.deletingLastPathComponent().path, &status) == 0 else { return nil }
            self.init(status)
            name = url.lastPathComponent
        }
    }
}
