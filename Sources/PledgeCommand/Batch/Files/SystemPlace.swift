import Foundation

/// A place in the file system: an open folder, and a name in it.
///
/// A symbolic link named by the user is followed once, here. Whatever is at the place afterwards is never
/// followed: in a folder where others write, one of them may have put it there.
final class SystemPlace: FilePlace {
    let named: String
    let name: String
    private let folder: Int32
    /// The random part of unpredictable names.
    private var dice: any RandomNumberGenerator

    /// Only the owner can access data about people, unless the file existed before with another mode.
    static let privateMode: mode_t = 0o600

    /// - Parameter followingLink: False for a name that is ours and not the user's.
    init(
        _ path: String, followingLink: Bool = true, dice: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws {
        named = path
        self.dice = dice
        let (parent, name) = Self.split((followingLink ? Self.real(path) : nil) ?? path)
        self.name = name
        guard !name.isEmpty else { throw Self.failure(path, EISDIR) }
        folder = Self.real(parent).map(Self.openFolder) ?? -1
        guard folder >= 0 else { throw Self.failure(path, errno) }
    }

    deinit { close(folder) }

    func open() throws -> any RawFile {
        let file = try open(O_RDWR | O_CREAT)
        _ = try file.length()
        return file
    }

    /// Opens the existing file, but never follows a link.
    func open(_ flags: Int32) throws -> SystemFile {
        let descriptor = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, Self.privateMode)
        guard descriptor >= 0 else { throw Self.failure(named, errno) }
        return SystemFile(descriptor, named: named)
    }

    var isTaken: Bool {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Checks that files can be created there.
    var isOpenToFiles: Bool { faccessat(folder, ".", W_OK | X_OK, 0) == 0 }

    func holds(_ file: any RawFile) -> Bool {
        guard let file = file as? SystemFile else { return false }
        var (one, other) = (stat(), stat())
        return fstatat(folder, name, &one, AT_SYMLINK_NOFOLLOW) == 0 && fstat(file.descriptor, &other) == 0
            && one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    func whereabouts(of file: any RawFile) -> String? {
        guard let file = file as? SystemFile else { return nil }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_nlink > 0 else { return nil }
        #if os(Linux)
            return try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file.descriptor)")
        #else
            var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
            return fcntl(file.descriptor, F_GETPATH, &path) == 0 ? String(cString: path) : nil
        #endif
    }

    func beside(_ name: (String) -> String) throws -> any FilePlace {
        try SystemPlace(name(named), followingLink: false)
    }

    func makeNeighbor(like old: (any RawFile)?) throws -> (file: any RawFile, name: String) {
        for _ in 0..<16 {
            let neighbor = ".pledge-" + String(dice.next(), radix: 36) + ".tmp"
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let descriptor = openat(folder, neighbor, flags, Self.privateMode)
            if descriptor >= 0 {
                let file = SystemFile(descriptor, named: named)
                do {
                    try keepStatus(of: old, for: file)
                } catch {
                    removeNeighbor(neighbor)
                    throw error
                }
                return (file, neighbor)
            }
            guard errno == EEXIST else { break }
        }
        throw StopError(writing: "a new file beside \(named)", errno)
    }

    private func keepStatus(of old: (any RawFile)?, for file: SystemFile) throws {
        guard let old = old as? SystemFile else { return }
        var (theirs, ours) = (stat(), stat())
        guard fstat(old.descriptor, &theirs) == 0, fstat(file.descriptor, &ours) == 0 else {
            throw StopError(writing: named, errno)
        }
        // The owner first, because changing it clears some bits of the mode.
        if theirs.st_uid != ours.st_uid || theirs.st_gid != ours.st_gid,
            fchown(file.descriptor, theirs.st_uid, theirs.st_gid) != 0
        {
            throw Failure("\(named) belongs to another user, and would not after being replaced. It was not changed.")
        }
        guard fchmod(file.descriptor, theirs.st_mode & 0o7777) == 0 else { throw StopError(writing: named, errno) }
    }

    func moveHere(_ neighbor: String) throws {
        guard renameat(folder, neighbor, folder, name) == 0 else { throw StopError(writing: named, errno) }
    }

    func removeNeighbor(_ neighbor: String) {
        unlinkat(folder, neighbor, 0)
    }

    /// A file system that does not support it makes changes durable in its own way.
    func syncFolder() throws {
        guard fsync(folder) != 0, errno != EINVAL, errno != ENOTSUP else { return }
        throw StopError(writing: "the folder of \(named)", errno)
    }

    static func failure(_ path: String, _ code: Int32) -> Failure {
        let reason =
            switch code {
            case EISDIR: "it is a folder"
            case ENOENT: "there is no such folder"
            case ELOOP: "it is a symbolic link that is broken, or not followed here. Remove it"
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
