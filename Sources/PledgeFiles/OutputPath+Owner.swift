import Foundation

extension OutputPath {
    /// Checks that a file belongs to the caller alone, as far as its file system keeps owners and modes. Network
    /// shares, disks of Windows, and mapped folders show every file with the same owner and mode, which nobody can
    /// change: only the folder's protection is left, so the folder is reported, and secrets are refused.
    func checkOwner(_ status: stat) throws(FileError) {
        var (owner, excess) = (status.st_uid, status.st_mode & 0o777 & ~mode)
        if belongsToFolderGroup(status) { excess &= ~0o070 }
        if owner != geteuid() || excess != 0, let new = statusOfNewFile() {
            // Ignores an owner and mode bits that any new file here would have, too.
            let isKept = try keepsOwner(of: new)
            if owner == new.st_uid { owner = geteuid() }
            excess &= ~new.st_mode
            if !isKept {
                let folder = URL(fileURLWithPath: resolved).deletingLastPathComponent().path
                Self.lock.withLock { _ = Self.unprotected.insert(folder) }
            }
        }
        guard owner == geteuid() else {
            throw FileError("\(named) belongs to another user, and was not changed: choose another file.")
        }
        guard excess == 0 else {
            let given = String(status.st_mode & 0o777, radix: 8)
            throw FileError(
                "\(named) is accessible to others (mode \(given)), and was not changed: run “chmod "
                    + "\(String(mode, radix: 8)) \(named)”, or choose another file.")
        }
    }

    /// Throws if others may write in the folder: SQLite reads and writes further files beside this one, which they could
    /// create first. On file systems without modes, every folder looks so, and only its own protection is left.
    package func refuseSharedFolder() throws(FileError) {
        guard let parent = fileStatus(folder), Self.isShared(parent, by: geteuid()), let new = statusOfNewFile(),
            isKept(new)
        else { return }
        throw FileError(
            "\(named) is in a folder where others may write, who could change what belongs to it: choose a folder of "
                + "your own, or run “chmod go-w” on this one.")
    }

    /// Returns whether others than the owner of a file in a folder, and root, may create files there.
    package static func isShared(_ folder: stat, by owner: uid_t) -> Bool {
        folder.st_mode & S_IWOTH != 0 || folder.st_mode & S_IWGRP != 0 && !isGroup(folder.st_gid, only: owner)
    }

    /// Whether a group has no member but a user: it is the one that many systems make for each user, under the same name;
    /// or this process's, and unknown to the system, as what Kubernetes calls `fsGroup`.
    private static func isGroup(_ number: gid_t, only user: uid_t) -> Bool {
        guard number != 0 else { return true }
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        var (account, owner) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        guard getpwuid_r(user, &account, &buffer, buffer.count, &owner) == 0 else { return false }
        let name = owner.map { String(cString: $0.pointee.pw_name) }
        var (entry, found) = (group(), UnsafeMutablePointer<group>?.none)
        // A group that does not fit into the buffer has many members.
        guard getgrgid_r(number, &entry, &buffer, buffer.count, &found) == 0 else { return false }
        guard let found else {
            var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
            let count = getgroups(Int32(groups.count), &groups)
            return user == geteuid() && (getegid() == number || groups.prefix(Int(max(0, count))).contains(number))
        }
        guard let name, String(cString: found.pointee.gr_name) == name else { return false }
        var members = found.pointee.gr_mem
        while let member = members?.pointee {
            guard String(cString: member) == name else { return false }
            members = members?.successor()
        }
        return true
    }

    /// Whether the folder gives its group all files in it, as Kubernetes does with `fsGroup` at each mount.
    private func belongsToFolderGroup(_ status: stat) -> Bool {
        guard !isSecret, let parent = fileStatus(folder) else { return false }
        return parent.st_mode & S_ISGID != 0 && parent.st_mode & S_IWOTH == 0 && parent.st_gid == status.st_gid
    }

    /// Whether a new file has the mode it is made with; nil if none can be made.
    var keepsModes: Bool? { statusOfNewFile().map { $0.st_mode & 0o777 & ~mode == 0 } }

    /// Whether a file that was just made is the caller's alone.
    private func isKept(_ new: stat) -> Bool { new.st_uid == geteuid() && new.st_mode & 0o777 & ~mode == 0 }

    /// Returns the same. Throws if it is not, and is to have secrets.
    @discardableResult func keepsOwner(of new: stat) throws(FileError) -> Bool {
        guard isKept(new) || !isSecret else {
            throw FileError(
                "\(named) is on a file system that keeps no owners and modes, so that others could read the tokens: choose "
                    + "a folder on another disk.")
        }
        return isKept(new)
    }

    /// The status of a file that is made next to it for a moment; nil if none can be made.
    private func statusOfNewFile() -> stat? {
        let name = ".pledge-\(UUID().uuidString).tmp"
        let descriptor = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        defer {
            close(descriptor)
            unlinkat(folder, name, 0)
        }
        return fileStatus(descriptor)
    }

    /// Returns the folders written to whose file systems keep no owners or modes, and forgets them.
    package static func takeUnprotected() -> [String] {
        lock.withLock {
            defer { unprotected = [] }
            return unprotected.sorted()
        }
    }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var unprotected: Set<String> = []
    // Unsafe: only accessed under the lock.
}
