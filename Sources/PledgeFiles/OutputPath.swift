import Foundation

/// The path of a file to write: an open folder, and the name of a file in it. Every file that the program writes is
/// opened here.
///
/// If others may write to a folder, somebody may have put a symbolic link or a file of their own in place of the file.
/// So these rules apply:
///
/// - A symbolic link is followed only once, when this object is created. The link and its folder must belong to the
///   caller or to root, and the folder must not be writable by everybody.
/// - An existing file must belong to the caller. It must not be more accessible to others than a new file would be.
package final class OutputPath: Sendable {
    /// The path as the user wrote it, for messages.
    package let path: String
    /// The path of the folder, without symbolic links.
    package let resolvedFolder: String
    package let fileName: String
    /// The path of the file, without symbolic links.
    package var resolved: String { resolvedFolder + "/" + fileName }
    package var folderDescriptor: Int32 { folder.descriptor }
    private let folder: SystemFile
    /// The mode of a new file. An existing file must not grant any permission that this mode doesn't grant.
    package let mode: mode_t
    /// Whether the content is secret. If so, the file must not be in a place where others might be able to read it.
    let isSecret: Bool

    /// The default mode of a new file. It lets only the owner access the file, because the files contain data about
    /// people.
    package static let privateMode: mode_t = 0o600

    /// - Parameter followingLink: Whether to follow a symbolic link at the end of the path. False if the program has
    ///   chosen the name, and not the user.
    package init(
        _ path: String, mode: mode_t = OutputPath.privateMode, followingLink: Bool = true, isSecret: Bool = false
    ) throws(FileError) {
        self.path = path
        self.mode = mode
        self.isSecret = isSecret
        var walk = try FolderWalk(path)
        fileName = try walk.moveToFolder(followingLink: followingLink)
        resolvedFolder = walk.folderPath
        folder = walk.folder
    }

    /// Creates the path of a file whose folder is opened directly, and not name by name from the root. In an app's
    /// sandbox, the folders above the app's own folder can't be opened.
    package init(inFolderOf file: URL) throws(FileError) {
        path = file.path
        resolvedFolder = file.deletingLastPathComponent().path
        fileName = file.lastPathComponent
        mode = OutputPath.privateMode
        isSecret = false
        guard let folder = SystemFile(reading: resolvedFolder) else { throw FileError(writing: path, errno) }
        self.folder = folder
    }

    /// Creates the path of another file of this program, in the same folder as `file`. Its name is the name of `file`
    /// plus a suffix.
    package init(_ file: OutputPath, _ suffix: String) {
        path = file.path + suffix
        fileName = file.fileName + suffix
        resolvedFolder = file.resolvedFolder
        mode = file.mode
        isSecret = file.isSecret
        folder = file.folder
    }

    /// Whether anything exists at the path, including a symbolic link.
    package var isTaken: Bool { status != nil }

    /// The status of the file or symbolic link at the path, or nil if nothing exists there.
    private var status: stat? {
        var status = stat()
        return fstatat(folderDescriptor, fileName, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    package var isOpenToFiles: Bool { faccessat(folderDescriptor, ".", W_OK | X_OK, 0) == 0 }

    /// Opens the file, without following a symbolic link. If others own the file or can access it, throws and doesn't
    /// change the file.
    package func openFile(_ flags: Int32) throws(FileError) -> SystemFile {
        let descriptor = openat(folderDescriptor, fileName, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw FileError(writing: path, errno) }
        let file = SystemFile(descriptor, named: path)
        guard let status = fileStatus(descriptor) else { throw FileError(writing: path, errno) }
        try check(status)
        return file
    }

    /// Checks the path without opening the file. Throws if something exists there that the program must not write to.
    package func check() throws(FileError) {
        if let status { try check(status) }
    }

    private func check(_ status: stat) throws(FileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileError(writing: path, EISDIR)
        case S_IFLNK: throw FileError(writing: path, ELOOP)
        default: throw FileError("\(path) is not a regular file: choose another one.")
        }
        try checkOwner(status)
    }

    package func holds(_ descriptor: Int32) -> Bool {
        identity.map { $0 == fileStatus(descriptor).map(FileIdentity.init) } ?? false
    }

    /// The identity of the file at the path, or nil if nothing exists there.
    package var identity: FileIdentity? { status.map(FileIdentity.init) }

    // MARK: Streams

    var isOfCallerOrRoot: Bool { status.map { [geteuid(), 0].contains($0.st_uid) } == true }

    /// Returns whether a path names something that is written to directly: an open descriptor, a device, or a pipe.
    package static func isStream(_ path: String) -> Bool {
        var status = stat()
        guard inherited(path) == nil else { return true }
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// Returns the descriptor that a path such as “/dev/stdout” names, or nil for any other path.
    static func inherited(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdin": return STDIN_FILENO
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            let prefix = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
            return prefix.flatMap { Int32(path.dropFirst($0.count)) }
        }
    }
}

/// Follows a path to the folder of its last name, name by name.
private struct FolderWalk {
    private let path: String
    /// The folder that was reached so far.
    private(set) var folder: SystemFile
    /// The path of that folder, without symbolic links; empty for the root.
    private(set) var folderPath = ""
    /// The names that are left to follow, the last name first.
    private var names: [Substring] = []
    private var linksLeft = 40

    #if os(Linux)
        // O_PATH, which opens a folder without the permission to list it. Swift doesn't import this constant.
        private static let passing: Int32 = 0x20_0000
    #else
        private static let passing = O_RDONLY
    #endif

    init(_ path: String) throws(FileError) {
        guard !path.isEmpty else { throw FileError("The path of a file to write is empty.") }
        guard path.utf8.last != UInt8(ascii: "/") else { throw FileError(writing: path, EISDIR) }
        self.path = path
        folder = SystemFile(AT_FDCWD, named: path, closes: false)
        try begin(path)
    }

    /// Moves to the folder of the file, and returns the name of the file.
    ///
    /// - Parameter followingLink: Whether to follow a symbolic link at the end of the path.
    mutating func moveToFolder(followingLink: Bool) throws(FileError) -> String {
        while true {
            guard let name = names.popLast().map(String.init) else { throw FileError(writing: path, EISDIR) }
            var status = stat()
            fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
            if status.st_mode & S_IFMT == S_IFLNK, followingLink || !names.isEmpty {
                linksLeft -= 1
                guard Self.isOurs(status, in: folder.descriptor), linksLeft >= 0,
                    let target = Self.target(of: name, in: folder.descriptor)
                else { throw FileError(writing: path, ELOOP) }
                try begin(target)
            } else if names.isEmpty {
                try move(to: ".", O_RDONLY)
                return name
            } else {
                folderPath += "/\(name)"
                try move(to: name)
            }
        }
    }

    /// Moves to the folder where a path begins, and adds the names in the path to those that are left.
    private mutating func begin(_ path: String) throws(FileError) {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        if isAbsolute || folder.descriptor < 0 {
            folderPath = isAbsolute ? "" : "."
            try move(to: isAbsolute ? "/" : ".")
        }
        names += path.split(separator: "/").reversed()
    }

    private mutating func move(to name: String, _ flags: Int32 = FolderWalk.passing) throws(FileError) {
        let next = openat(folder.descriptor, name, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard next >= 0 else { throw FileError(writing: path, errno) }
        folder = SystemFile(next, named: path)
    }

    private static func isOurs(_ link: stat, in folder: Int32) -> Bool {
        guard let status = fileStatus(folder), status.st_mode & S_IWOTH == 0 else { return false }
        return [link, status].allSatisfy { [geteuid(), 0].contains($0.st_uid) }
    }

    private static func target(of link: String, in folder: Int32) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlinkat(folder, link, &target, target.count)
        return length > 0 ? String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}

/// The reason why a file can't be read or written.
package struct FileError: Error, CustomStringConvertible {
    package let description: String
    /// The system's error number, or 0 if the error doesn't come from the system.
    package let code: Int32

    package init(_ description: String) { (self.description, code) = (description, 0) }

    package init(reading name: String, _ code: Int32) {
        description = "\(name) cannot be read: \(String(cString: strerror(code)))."
        self.code = code
    }

    package init(writing path: String, _ code: Int32) {
        let reason =
            switch code {
            case EPIPE: "its reader has closed it"
            case ENOSPC, EDQUOT: "the disk is full"
            case EISDIR: "it is a folder"
            case ENOENT: "there is no such folder"
            case ELOOP:
                "it is a symbolic link, or is reached through one, that others could have put there. Name the file "
                    + "itself"
            default: String(cString: strerror(code))
            }
        description = "\(path) cannot be written: \(reason)."
        self.code = code
    }
}

extension OutputPath: FileLocation {
    package func open() throws -> any RawFile {
        let file = try openFile(O_RDWR | O_CREAT)
        _ = try file.length()
        return file
    }

    package func holds(_ file: any RawFile) -> Bool { (file as? SystemFile).map { holds($0.descriptor) } == true }

    package func currentPath(of file: any RawFile) -> String? {
        guard let file = file as? SystemFile, file.hasName else { return nil }
        #if os(Linux)
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file.descriptor)")
            // The file now has another name, which the system doesn't report.
            return path.map { $0.hasSuffix(" (deleted)") ? "a file with another name" : $0 }
        #else
            var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
            return fcntl(file.descriptor, F_GETPATH, &path) == 0 ? String(cString: path) : nil
        #endif
    }

    package func beside(_ suffix: String) throws -> any FileLocation {
        try OutputPath(path + suffix, followingLink: false)
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
            let descriptor = openat(
                folderDescriptor, temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            guard descriptor >= 0 else { continue }
            let file = SystemFile(descriptor, named: path)
            // Until this process locked the new file, another process may have considered it abandoned, and may have
            // removed or locked it.
            guard file.lockIfPossible(), file.hasName else { continue }
            // Sets the mode regardless of the process's umask. For example, a file of metrics must be readable by the
            // collector.
            fchmod(descriptor, mode)
            do {
                if let status = fileStatus(descriptor) { try keepsOwner(of: status) }
            } catch {
                removeTemporary(temporary)
                throw error
            }
            return (file, temporary)
        }
        throw FileError(writing: "a new file beside \(path)", errno)
    }

    /// The names of the temporary files in this folder. Each of them is either being written, or was left by a process
    /// that was killed.
    package var temporaries: [String] {
        let descriptor = openat(folderDescriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let list = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
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

    /// Removes the temporary files in this folder that no process has locked. Their processes were killed. Returns the
    /// names of the removed files.
    @discardableResult
    package func removeAbandoned() -> [String] {
        temporaries.filter { name in
            let descriptor = openat(folderDescriptor, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            let file = SystemFile(descriptor, named: name)
            return file.isRegular && file.lock() && remove(name)
        }
    }

    /// Removes a temporary file. If it is a database with a journal, removes the journal first, so that no journal
    /// remains without its database.
    private func remove(_ temporary: String) -> Bool {
        guard unlinkat(folderDescriptor, temporary + "-journal", 0) == 0 || errno == ENOENT else { return false }
        return unlinkat(folderDescriptor, temporary, 0) == 0
    }

    package func moveHere(_ temporary: String) throws {
        guard renameat(folderDescriptor, temporary, folderDescriptor, fileName) == 0 else {
            throw FileError(writing: path, errno)
        }
    }

    package func removeTemporary(_ temporary: String) {
        _ = remove(temporary)
    }

    /// Syncs the folder. If the file system doesn't support that, it makes changes durable in its own way, so this
    /// isn't an error.
    package func syncFolder() throws {
        guard !syncToDisk(folderDescriptor), errno != EINVAL, errno != ENOTSUP else { return }
        throw FileError(writing: "the folder of \(path)", errno)
    }
}
