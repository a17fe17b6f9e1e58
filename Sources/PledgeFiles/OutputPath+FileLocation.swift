import Foundation

extension OutputPath: FileLocation {
    package func open() throws -> any RawFile {
        let file = try openFile(O_RDWR | O_CREAT)
        _ = try file.length()
        return file
    }

    package func openFile(_ flags: Int32) throws -> SystemFile { SystemFile(try open(flags), named: named) }

    package func holds(_ file: any RawFile) -> Bool { (file as? SystemFile).map { holds($0.descriptor) } == true }

    package func currentPath(of file: any RawFile) -> String? {
        guard let file = file as? SystemFile, file.hasName else { return nil }
        #if os(Linux)
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file.descriptor)")
            // It has another name, which the system does not tell.
            return path.map { $0.hasSuffix(" (deleted)") ? "a file with another name" : $0 }
        #else
            var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
            return fcntl(file.descriptor, F_GETPATH, &path) == 0 ? String(cString: path) : nil
        #endif
    }

    package func beside(_ suffix: String) throws -> any FileLocation {
        try OutputPath(named + suffix, followingLink: false)
    }

    package func makeTemporary() throws -> (file: any RawFile, name: String) {
        var generator = SystemRandomNumberGenerator()
        return try makeTemporary(&generator)
    }

    package func makeTemporary(
        _ generator: inout some RandomNumberGenerator
    ) throws -> (file: SystemFile, name: String) {
        removeAbandoned()
        for _ in 0..<16 {
            let temporary = ".pledge-" + String(generator.next(), radix: 36) + ".tmp"
            let descriptor = openat(folder, temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            guard descriptor >= 0 else { continue }
            let file = SystemFile(descriptor, named: named)
            // Before it was locked, another process may have removed or locked it as abandoned.
            guard file.lockIfPossible(), file.hasName else { continue }
            // Regardless of the process's umask: a collector has to read metrics.
            fchmod(descriptor, mode)
            do {
                if let status = fileStatus(descriptor) { try keepsOwner(of: status) }
            } catch {
                removeTemporary(temporary)
                throw error
            }
            return (file, temporary)
        }
        throw FileError(writing: "a new file beside \(named)", errno)
    }

    /// The files in this folder that replacements write, or that one has left because its process was killed.
    package var temporaries: [String] {
        let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let list = fdopendir(descriptor) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(".pledge-"), name.hasSuffix(".tmp") { names.append(name) }
        }
        return names
    }

    /// Removes the files that replacements here have left, those that no process has locked. Returns their names.
    @discardableResult
    package func removeAbandoned() -> [String] {
        temporaries.filter { name in
            let descriptor = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            let file = SystemFile(descriptor, named: name)
            return file.isRegular && file.lock() && remove(name)
        }
    }

    /// Removes a file, and before it a journal of SQLite's, so that none is left without its file.
    private func remove(_ temporary: String) -> Bool {
        guard unlinkat(folder, temporary + "-journal", 0) == 0 || errno == ENOENT else { return false }
        return unlinkat(folder, temporary, 0) == 0
    }

    package func moveHere(_ temporary: String) throws {
        guard renameat(folder, temporary, folder, name) == 0 else { throw FileError(writing: named, errno) }
    }

    package func removeTemporary(_ temporary: String) {
        _ = remove(temporary)
    }

    /// A file system that does not support it makes changes durable in its own way.
    package func syncFolder() throws {
        guard fsync(folder) != 0, errno != EINVAL, errno != ENOTSUP else { return }
        throw FileError(writing: "the folder of \(named)", errno)
    }
}
