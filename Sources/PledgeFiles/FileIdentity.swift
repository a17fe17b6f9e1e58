import Foundation

/// The identity of a file, whatever path leads to it; for one that does not exist yet, the place where it would be.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    /// The name in the identified folder, for a file that does not exist.
    private var name: String?

    package init(_ status: stat) {
        (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }

    /// Nil for anything but a file: several writers may share a device or a pipe.
    package init?(_ descriptor: Int32) {
        guard let status = fileStatus(descriptor), status.isRegular else { return nil }
        self.init(status)
    }

    /// Nil for anything but a file.
    package init?(path: String) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.isRegular else { return nil }
            self.init(status)
        } else {
            let url = URL(fileURLWithPath: path)
            guard stat(url.deletingLastPathComponent().path, &status) == 0 else { return nil }
            self.init(status)
            name = url.lastPathComponent
        }
    }
}
