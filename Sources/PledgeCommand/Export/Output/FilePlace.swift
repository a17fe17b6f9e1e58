import Foundation

/// Where a file is or is to be: its folder, held open, and its name in there.
///
/// A symbolic link that a person names is theirs, and is followed once, here. What lies at the place afterwards is never
/// followed: in a folder where others write, it may have been put there by one of them.
final class FilePlace {
    /// As the person said it, for messages.
    let named: String
    let name: String
    private let folder: Int32

    /// Data about people is for the owner alone, unless the file was there before with another mode.
    static let privateMode: mode_t = 0o600

    /// - Parameter followingLink: false for a name that is ours and not the person's.
    init(_ path: String, followingLink: Bool = true) throws {
        named = path
        let (parent, name) = Self.split((followingLink ? Self.real(path) : nil) ?? path)
        self.name = name
        guard !name.isEmpty else { throw Self.failure(path, EISDIR) }
        folder = Self.real(parent).map(Self.openFolder) ?? -1
        guard folder >= 0 else { throw Self.failure(path, errno) }
    }

    deinit { close(folder) }

    /// Opens what is there, or makes it; never what a link leads to.
    func open(_ flags: Int32) throws -> Int32 {
        let descriptor = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, Self.privateMode)
        if descriptor >= 0 { return descriptor }
        throw Self.failure(named, errno)
    }

    /// Whether anything is there, a link included.
    var isTaken: Bool {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Whether files may be made there.
    var isOpenToFiles: Bool { faccessat(folder, ".", W_OK | X_OK, 0) == 0 }

    /// Whether what is there is still the file that was opened.
    func holds(_ descriptor: Int32) -> Bool {
        var (one, other) = (stat(), stat())
        return fstatat(folder, name, &one, AT_SYMLINK_NOFOLLOW) == 0 && fstat(descriptor, &other) == 0
            && one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// Makes a file beside it, for the owner alone, under a name that nobody can have put something at.
    func makeNeighbor(using random: inout some RandomNumberGenerator) throws -> (descriptor: Int32, name: String) {
        for _ in 0..<16 {
            let neighbor = ".pledge-" + String(UInt64.random(in: 0 ... .max, using: &random), radix: 36) + ".tmp"
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let descriptor = openat(folder, neighbor, flags, Self.privateMode)
            if descriptor >= 0 { return (descriptor, neighbor) }
            guard errno == EEXIST else { break }
        }
        throw StopError(writing: "a new file beside \(named)", errno)
    }

    func moveHere(_ neighbor: String) throws {
        guard renameat(folder, neighbor, folder, name) == 0 else { throw StopError(writing: named, errno) }
    }

    func removeNeighbor(_ neighbor: String) {
        unlinkat(folder, neighbor, 0)
    }

    /// Makes sure that the name stays, too; a file system that cannot has its own way to.
    func syncFolder() throws {
        guard fsync(folder) != 0, errno != EINVAL, errno != ENOTSUP else { return }
        throw StopError(writing: "the folder of \(named)", errno)
    }

    static func failure(_ path: String, _ code: Int32) -> Failure {
        let reason =
            switch code {
            case EISDIR: "it is a folder"
            case ENOENT: "there is no such folder"
            case ELOOP: "it is a symbolic link that leads nowhere, or that nobody named. Remove it"
            default: String(cString: strerror(code))
            }
        return Failure("\(path) cannot be written: \(reason).")
    }

    private static func openFolder(_ path: String) -> Int32 {
        Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    private static func split(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let parent = String(path[..<slash])
        return (parent.isEmpty ? "/" : parent, String(path[path.index(after: slash)...]))
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
