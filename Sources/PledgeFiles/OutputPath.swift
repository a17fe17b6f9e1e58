import Foundation

/// The path of a file to write: an open folder, and a name in it. Every file that is written is opened here.
///
/// In a folder where others may write, one of them may have put something in the way. A link is followed once, here,
/// and only if it and its folder belong to the caller or to root, and not everybody may write to the folder. An
/// existing file must belong to the caller, and must not be accessible to others more than a new one.
package final class OutputPath: Sendable {
    /// The path as given by the user, for messages.
    package let named: String
    package let resolved: String
    package let name: String
    package var folder: Int32 { opened.descriptor }
    private let opened: SystemFile
    /// The mode of a new file, and the widest one of an existing file.
    package let mode: mode_t
    /// Whether its content must not be where others may be able to read it.
    let isSecret: Bool

    /// Only the owner can access data about people.
    package static let privateMode: mode_t = 0o600

    #if os(Linux)
        // O_PATH, which requires no permission to list the folder. Swift does not import it.
        private static let passing: Int32 = 0x20_0000
    #else
        private static let passing = O_RDONLY
    #endif

    /// - Parameter followingLink: False for a name that is ours and not the user's.
    package init(
        _ path: String, mode: mode_t = OutputPath.privateMode, followingLink: Bool = true, isSecret: Bool = false
    ) throws(FileError) {
        named = path
        self.mode = mode
        self.isSecret = isSecret
        var (folder, resolved) = (SystemFile(AT_FDCWD, named: path, closes: false), "")
        /// Moves to the folder with this name, or throws the reason for which that failed.
        func move(to name: String, _ flags: Int32 = OutputPath.passing) throws(FileError) {
            let next = openat(folder.descriptor, name, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw FileError(writing: path, errno) }
            folder = SystemFile(next, named: path)
        }
        /// Goes to where a path begins, and returns its names, the last one first.
        func begin(_ path: String) throws(FileError) -> [Substring] {
            if path.utf8.first == UInt8(ascii: "/") || folder.descriptor < 0 {
                resolved = path.utf8.first == UInt8(ascii: "/") ? "" : "."
                try move(to: resolved.isEmpty ? "/" : ".")
            }
            return path.split(separator: "/").reversed()
        }
        guard !path.isEmpty else { throw FileError("The path of a file to write is empty.") }
        guard path.utf8.last != UInt8(ascii: "/") else { throw FileError(writing: path, EISDIR) }
        var (names, links) = (try begin(path), (0..<40).makeIterator())
        while true {
            guard let name = names.popLast().map(String.init) else { throw FileError(writing: path, EISDIR) }
            var status = stat()
            fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
            if status.st_mode & S_IFMT == S_IFLNK, followingLink || !names.isEmpty {
                guard Self.isOurs(status, in: folder.descriptor), links.next() != nil,
                    let target = Self.target(of: name, in: folder.descriptor)
                else { throw FileError(writing: path, ELOOP) }
                names += try begin(target)
            } else if names.isEmpty {
                self.name = name
                break
            } else {
                resolved += "/\(name)"
                try move(to: name)
            }
        }
        try move(to: ".", O_RDONLY)
        self.resolved = "\(resolved)/\(name)"
        opened = folder
    }

    /// The path of a file in a folder that is opened at once: an app's sandbox does not let it open those above its own.
    package init(inFolderOf file: URL) throws(FileError) {
        (named, resolved, name) = (file.path, file.path, file.lastPathComponent)
        (mode, isSecret) = (OutputPath.privateMode, false)
        let folder = SystemFile(reading: file.deletingLastPathComponent().path)
        guard let folder else { throw FileError(writing: named, errno) }
        opened = folder
    }

    /// The path of another file of ours in the same folder, whose name begins with this one's.
    package init(_ file: OutputPath, _ suffix: String) {
        (named, name, resolved) = (file.named + suffix, file.name + suffix, file.resolved + suffix)
        (mode, isSecret, opened) = (file.mode, file.isSecret, file.opened)
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

    /// Whether anything exists there, including a link.
    package var isTaken: Bool { status != nil }

    /// The status of the file or link that exists there.
    private var status: stat? {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    package var isOpenToFiles: Bool { faccessat(folder, ".", W_OK | X_OK, 0) == 0 }

    /// Opens the file, but never follows a link. Throws, without a change, if the file is not the caller's alone.
    package func open(_ flags: Int32) throws(FileError) -> Int32 {
        let descriptor = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw FileError(writing: named, errno) }
        do throws(FileError) {
            guard let status = fileStatus(descriptor) else { throw FileError(writing: named, errno) }
            try check(status)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Checks what exists there, without opening it.
    package func check() throws(FileError) {
        if let status { try check(status) }
    }

    private func check(_ status: stat) throws(FileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileError(writing: named, EISDIR)
        case S_IFLNK: throw FileError(writing: named, ELOOP)
        default: throw FileError("\(named) is not a regular file: choose another one.")
        }
        try checkOwner(status)
    }

    package func holds(_ descriptor: Int32) -> Bool {
        identity.map { $0 == fileStatus(descriptor).map(FileIdentity.init) } ?? false
    }

    /// The file that is there now; nil if there is none.
    package var identity: FileIdentity? { status.map(FileIdentity.init) }

    // MARK: Streams

    var isOfCallerOrRoot: Bool { status.map { [geteuid(), 0].contains($0.st_uid) } == true }

    /// Whether a path names something that is written to directly: an open descriptor, a device, or a pipe.
    package static func isStream(_ path: String) -> Bool {
        var status = stat()
        guard inherited(path) == nil else { return true }
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// The descriptor that a path names; nil for any other path.
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

/// The reason for which a file is not written.
package struct FileError: Error, CustomStringConvertible {
    package let description: String
    /// The code of the system; 0 if it has none.
    package let code: Int32

    package init(_ description: String) { (self.description, code) = (description, 0) }

    package init(reading name: String, _ code: Int32) {
        (description, self.code) = ("\(name) cannot be read: \(String(cString: strerror(code))).", code)
    }

    package init(writing path: String, _ code: Int32) {
        let reason =
            switch code {
            case EPIPE: "its reader has closed it"
            case ENOSPC, EDQUOT: "the disk is full"
            case EISDIR: "it is a folder"
            case ENOENT: "there is no such folder"
            case ELOOP:
                "it is or leads through a symbolic link that is not followed, because others could have put it there. "
                    + "Name the file itself"
            default: String(cString: strerror(code))
            }
        (description, self.code) = ("\(path) cannot be written: \(reason).", code)
    }
}
