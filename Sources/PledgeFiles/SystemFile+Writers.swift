import Foundation

extension SystemFile {
    /// Throws if others may write the file, for one that decides which tokens are sent where. A group may if nobody else
    /// is in it, or if the folder gives it all files.
    package func refuseOtherWriters() throws(FileError) {
        guard let status = fileStatus(descriptor), status.isRegular else { return }
        var (others, folder) = (status.st_mode & (S_IWGRP | S_IWOTH), stat())
        let parent = URL(fileURLWithPath: name).deletingLastPathComponent().path
        if status.st_gid == ownGroup || stat(parent, &folder) == 0 && folder.givesItsGroup(status) {
            others &= ~S_IWGRP
        }
        guard others != 0 else { return }
        throw FileError(
            "\(name) may be written by others (mode \(String(status.st_mode & 0o777, radix: 8))), who could change which "
                + "tokens are sent: run “chmod go-w \(name)”.")
    }
}

/// The caller's own group, as most systems make one for each user; nil if others are in it.
private let ownGroup: gid_t? = {
    guard let user = getpwuid(geteuid())?.pointee, let group = getgrgid(user.pw_gid)?.pointee,
        strcmp(user.pw_name, group.gr_name) == 0, group.gr_mem.pointee == nil
    else { return nil }
    return user.pw_gid
}()

extension stat {
    /// Whether a folder gives its group all files in it, as Kubernetes does with `fsGroup` at each mount.
    func givesItsGroup(_ file: stat) -> Bool {
        st_mode & S_ISGID != 0 && st_mode & S_IWOTH == 0 && st_gid == file.st_gid
    }
}
