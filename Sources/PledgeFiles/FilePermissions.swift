import Foundation

extension OutputPath {
    /// Throws if a file doesn't belong to the caller alone.
    ///
    /// Some file systems, such as network shares, Windows disks, and mapped folders, don't keep owners and modes. They
    /// show all files with the same owner and mode, which nobody can change. There, only the permissions of the folder
    /// protect the file. So the folder is reported later (``takeUnprotected()``), and secrets are refused.
    func checkOwner(_ status: stat) throws(FileError) {
        var owner = status.st_uid
        var excess = status.st_mode & 0o777 & ~mode
        if belongsToFolderGroup(status) { excess &= ~0o070 }
        if owner != geteuid() || excess != 0, let new = statusOfNewFile() {
            // Ignores an owner or a permission that every new file in this folder would have, too.
            let isKept = try keepsOwner(of: new)
            if owner == new.st_uid { owner = geteuid() }
            excess &= ~new.st_mode
            if !isKept {
                Self.lock.withLock { _ = Self.unprotected.insert(resolvedFolder.isEmpty ? "/" : resolvedFolder) }
            }
        }
        guard owner == geteuid() else {
            throw FileError("\(path) belongs to another user, and was not changed: choose another file.")
        }
        guard excess == 0 else {
            let given = String(status.st_mode & 0o777, radix: 8)
            throw FileError(
                "\(path) is accessible to others (mode \(given)), and was not changed: run “chmod "
                    + "\(String(mode, radix: 8)) \(path)”, or choose another file.")
        }
    }

    /// Throws if others may create files in the folder. SQLite reads and writes further files beside this file, and
    /// others could create these before SQLite does.
    ///
    /// Does nothing on a file system without modes. There, every folder seems to be writable by others.
    package func refuseSharedFolder() throws(FileError) {
        guard let parent = fileStatus(folderDescriptor), Self.isShared(parent, by: geteuid()),
            let new = statusOfNewFile(),
            isKept(new)
        else { return }
        throw FileError(
            "\(path) is in a folder where others may write, so they could change the files that belong to it: choose "
                + "a folder of your own, or run “chmod go-w” on this one.")
    }

    /// Returns whether anybody except this user and root may create files in the folder.
    package static func isShared(_ folder: stat, by owner: uid_t) -> Bool {
        folder.st_mode & S_IWOTH != 0 || folder.st_mode & S_IWGRP != 0 && !isGroup(folder.st_gid, only: owner)
    }

    /// Returns whether a group has no members except this user. That is the case for these groups:
    ///
    /// - The group with the number 0, which is root's.
    /// - The group that many systems create for each user. It has the same name as the user.
    /// - A group of this process that the system doesn't know, such as the one that Kubernetes calls `fsGroup`.
    private static func isGroup(_ number: gid_t, only user: uid_t) -> Bool {
        guard number != 0 else { return true }
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        var account = passwd()
        var owner = UnsafeMutablePointer<passwd>?.none
        guard getpwuid_r(user, &account, &buffer, buffer.count, &owner) == 0 else { return false }
        let name = owner.map { String(cString: $0.pointee.pw_name) }
        var entry = group()
        var found = UnsafeMutablePointer<group>?.none
        // If the description of a group doesn't fit into the buffer, the group has many members.
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

    /// Returns whether a file has the same group as its folder because the folder passes its group on to all files in
    /// it. Kubernetes sets up folders in this way, with `fsGroup`. False for secrets.
    private func belongsToFolderGroup(_ status: stat) -> Bool {
        guard !isSecret, let parent = fileStatus(folderDescriptor) else { return false }
        return parent.st_mode & S_ISGID != 0 && parent.st_mode & S_IWOTH == 0 && parent.st_gid == status.st_gid
    }

    /// Whether a new file in the folder gets the mode that it is created with, or nil if no file can be created there.
    var keepsModes: Bool? { statusOfNewFile().map { $0.st_mode & 0o777 & ~mode == 0 } }

    /// Returns whether a file that was just created belongs to the caller alone.
    private func isKept(_ new: stat) -> Bool { new.st_uid == geteuid() && new.st_mode & 0o777 & ~mode == 0 }

    /// Returns whether a file that was just created belongs to the caller alone. Throws if it doesn't, and the content
    /// is secret.
    @discardableResult func keepsOwner(of new: stat) throws(FileError) -> Bool {
        guard isKept(new) || !isSecret else {
            throw FileError(
                "\(path) is on a file system that doesn't store owners and permissions, so others could read the "
                    + "tokens: choose a folder on another disk.")
        }
        return isKept(new)
    }

    /// Returns the status of a file that is created in the folder for a moment, or nil if no file can be created there.
    private func statusOfNewFile() -> stat? {
        let name = ".pledge-\(UUID().uuidString).tmp"
        let descriptor = openat(folderDescriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        defer {
            close(descriptor)
            unlinkat(folderDescriptor, name, 0)
        }
        return fileStatus(descriptor)
    }

    /// Returns the folders in which the program has written files even though their file systems don't keep owners or
    /// modes. Each folder is returned only once.
    package static func takeUnprotected() -> [String] {
        lock.withLock {
            defer { unprotected = [] }
            return unprotected.sorted()
        }
    }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var unprotected: Set<String> = []
    // Unsafe: the set is only accessed under the lock.
}

extension SystemFile {
    /// Throws if everybody may write to the file. Call this for a file that decides which tokens are sent where.
    ///
    /// Doesn't throw if the file's file system doesn't keep modes, or if the process has inherited the open file.
    package func refuseOtherWriters() throws(FileError) {
        guard let status = fileStatus(descriptor), status.isRegular, status.st_mode & S_IWOTH != 0,
            OutputPath.inherited(name) == nil, (try? OutputPath(name))?.keepsModes != false
        else { return }
        throw FileError(
            "\(name) may be written by others (mode \(String(status.st_mode & 0o777, radix: 8))), so they could change "
                + "which tokens are sent: let only its owner or its group write it.")
    }
}
