import Foundation

/// Where a file is: the few calls that writing durably requires, so that tests can use disks that fail.
package protocol FileLocation: AnyObject {
    /// The path as given by the user, for messages.
    var named: String { get }
    /// Whether anything exists there, including a link.
    var isTaken: Bool { get }

    /// Opens the existing file, or creates one, for reading and writing, positioned at its end.
    func open() throws -> any RawFile
    /// Whether this path still leads to the file that was opened.
    func holds(_ file: any RawFile) -> Bool
    /// The current path of the file that was opened; nil if it has no name any more.
    func currentPath(of file: any RawFile) -> String?
    /// Returns the location at this path plus a suffix, whose name we chose, not the user.
    func beside(_ suffix: String) throws -> any FileLocation
    /// Creates and locks a file next to it, under an unpredictable name, and removes those whose creators were killed.
    func makeTemporary() throws -> (file: any RawFile, name: String)
    func moveHere(_ temporary: String) throws
    func removeTemporary(_ temporary: String)
    func syncFolder() throws
}

/// An open file; tests use one whose disk can be full.
package protocol RawFile: AnyObject {
    var name: String { get }

    /// Writes some of the bytes, as `write(2)` does: at the current position, unless an offset is given.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int?) throws(FileError) -> Int
    /// Reads some of the bytes at an offset; returns 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// Sets the length, and moves to the end.
    func truncate(to length: Int) throws(FileError)
    func length() throws(FileError) -> Int
    func sync() throws(FileError)
    /// Locks the file, unless it is already locked.
    func lock() -> Bool
    func unlock()
}

extension RawFile {
    /// Whether it begins with SQLite's file header.
    package var isDatabase: Bool {
        get throws { try read(16, at: 0).elementsEqual("SQLite format 3\0".utf8) }
    }

    /// Writes all bytes, in as many calls as necessary.
    package func writeAll(_ bytes: some Collection<UInt8>, at offset: Int? = nil) throws {
        try Array(bytes).withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                rest.removeFirst(try write(.init(rebasing: rest), at: offset.map { $0 + buffer.count - rest.count }))
            }
        }
    }

    /// Reads this many bytes at an offset; fewer if the file ends before.
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

    /// Reads the file from its beginning, in chunks.
    package var pieces: (UnsafeMutableRawBufferPointer) throws -> Int {
        var offset = 0
        return { buffer in
            let count = try self.read(into: buffer, at: offset)
            offset += count
            return count
        }
    }
}

/// The identity of a file, whatever path leads to it; for one that does not exist yet, the place where it would be.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    /// The name in the identified folder, for a file that does not exist.
    private var name: String?

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }

    /// Nil for anything but a file: several writers may share a device or a pipe.
    package init?(_ descriptor: Int32) {
        guard let status = fileStatus(descriptor), status.isRegular else { return nil }
        self.init(status)
    }

    /// Nil for anything but a file.
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
