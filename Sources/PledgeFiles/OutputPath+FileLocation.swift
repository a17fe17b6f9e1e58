import Foundation

extension OutputPath: FileLocation {
    package func open() throws -> any RawFile {
        let file = try openFile(O_RDWR | O_CREAT)
        _ = try file.length()
        return file
    }

    package func openFile(_ flags: Int32) throws -> SystemFile { SystemFile(try open(flags), named: named) }

    package func holds(_ file: any RawFile) -> Bool { (file as? SystemFile).map { holds($0.descriptor) } ?? false }

    package func whereabouts(of file: any RawFile) -> String? {
        guard let file = file as? SystemFile else { return nil }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_nlink > 0 else { return nil }
        #if os(Linux)
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file.descriptor)")
            // It has another name, which the system does not tell.
            return path.map { $0.hasSuffix(" (deleted)") ? "a file with another name" : $0 }
        #else
            var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
            return fcntl(file.descriptor, F_GETPATH, &path) == 0 ? String(cString: path) : nil
        #endif
    }

    package func beside(_ name: (String) -> String) throws -> any FileLocation {
        try OutputPath(name(named), followingLink: false)
    }

    package func makeNeighbor() throws -> (file: any RawFile, name: String) {
        var dice = SystemRandomNumberGenerator()
        return try makeNeighbor(&dice)
    }

    package func makeNeighbor(_ dice: inout some RandomNumberGenerator) throws -> (file: any RawFile, name: String) {
        for _ in 0..<16 {
            let neighbor = ".pledge-" + String(dice.next(), radix: 36) + ".tmp"
            let descriptor = openat(folder, neighbor, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            if descriptor >= 0 {
                // Whatever the process's mask: a collector reads metrics.
                fchmod(descriptor, mode)
                return (SystemFile(descriptor, named: named), neighbor)
            }
            guard errno == EEXIST else { break }
        }
        throw FileError(writing: "a new file beside \(named)", errno)
    }

    package func moveHere(_ neighbor: String) throws {
        guard renameat(folder, neighbor, folder, name) == 0 else { throw FileError(writing: named, errno) }
    }

    package func removeNeighbor(_ neighbor: String) {
        unlinkat(folder, neighbor, 0)
    }

    /// A file system that does not support it makes changes durable in its own way.
    package func syncFolder() throws {
        guard fsync(folder) != 0, errno != EINVAL, errno != ENOTSUP else { return }
        throw FileError(writing: "the folder of \(named)", errno)
    }
}
