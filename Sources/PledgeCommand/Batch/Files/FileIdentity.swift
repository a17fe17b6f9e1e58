import Foundation

/// Which file of the system's it is, however a path leads there; of one that is not there yet, where it is to be.
struct FileIdentity: Hashable {
    private var device: UInt64
    private var number: UInt64
    /// In the folder that the numbers are of, for one that is not there.
    private var name: String?

    /// Nil for what is no file: a device or a pipe may be written to by many.
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
    /// Refuses what would be written over the input, or over something else that is written.
    ///
    /// - Parameters:
    ///   - results: files that results go to, standard output if there are none.
    ///   - option: what names them.
    func checkFiles(_ input: BatchInput, results: [String], named option: String) throws {
        var roles: [FileIdentity: String] = [:]
        if results.isEmpty, let output = FileIdentity(STDOUT_FILENO) { roles[output] = "where results go" }
        if let input = FileIdentity(input.file.descriptor) { roles[input] = "the input" }
        let written =
            results.map { ($0, option, "where results go") }
            + [(summary, "--summary", "where the summary goes"), (metrics, "--metrics", "where figures go")]
        for case (let path?, let option, let role) in written {
            guard let file = FileIdentity(path: path), let taken = roles.updateValue(role, forKey: file) else {
                continue
            }
            throw UsageError("\(path) is \(taken): name another file for \(option).")
        }
    }
}
