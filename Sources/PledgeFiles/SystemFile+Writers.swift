import Foundation

extension SystemFile {
    /// Throws if everybody may write the file, for one that decides which tokens are sent where, unless its file system
    /// keeps no modes, or the caller inherited it open.
    package func refuseOtherWriters() throws(FileError) {
        guard let status = fileStatus(descriptor), status.isRegular, status.st_mode & S_IWOTH != 0,
            OutputPath.inherited(name) == nil, (try? OutputPath(name))?.keepsModes != false
        else { return }
        throw FileError(
            "\(name) may be written by others (mode \(String(status.st_mode & 0o777, radix: 8))), who could change which "
                + "tokens are sent: let only its owner or its group write it.")
    }
}
