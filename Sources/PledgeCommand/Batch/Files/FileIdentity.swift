import Foundation

/// The identity of a file, whatever path leads to it; for one that does not exist yet, the place where it would be.
struct FileIdentity: Hashable {
    private var device: UInt64
    private var number: UInt64
    /// The name in the identified folder, for a file that does not exist.
    private var name: String?

    /// Nil for anything but a file: several writers may share a device or a pipe.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }

    init?(path: String) {
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

extension BatchOptions {
    /// Rejects files that would overwrite the input or another output.
    ///
    /// - Parameters:
    ///   - results: The files that results go to; standard output if there are none.
    ///   - option: The option that names them.
    func checkFiles(results: [String], named option: String) throws {
        var roles: [FileIdentity: String] = [:]
        if results.isEmpty, let output = FileIdentity(STDOUT_FILENO) { roles[output] = "the file for results" }
        if let input = input.map({ FileIdentity(path: $0) }) ?? FileIdentity(STDIN_FILENO) {
            roles[input] = "the input"
        }
        let written =
            results.map { ($0, option, "the file for results") }
            + [(summary, "--summary", "the file for the summary"), (metrics, "--metrics", "the file for metrics")]
        for case (let path?, let option, let role) in written {
            guard let file = FileIdentity(path: path), let taken = roles.updateValue(role, forKey: file) else {
                continue
            }
            throw UsageError("\(path) is \(taken): choose another file for \(option).")
        }
    }
}
