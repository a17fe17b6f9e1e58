import Foundation

/// The identity of a file, whatever path leads to it; for one that does not exist yet, the place where it would be.
package struct FileIdentity: Hashable {
    private var device: UInt64
    private var number: UInt64
    /// The name in the identified folder, for a file that does not exist.
    private var name: String?

    /// Nil for anything but a file: several writers may share a device or a pipe.
    package init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }

    package init?(path: String) {
        var status = stat()
        if stat(path, &status) != 0 {
            let url = URL(fileURLWithPath: path)
            guard stat(url.deletingLastPathComponent().path, &status) == 0 else { return nil }
            name = url.lastPathComponent
        } else if status.st_mode & S_IFMT != S_IFREG {
            return nil
        }
        (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }
}
