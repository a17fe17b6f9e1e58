import Foundation
import PledgeFiles

/// A body in a file of its own, which only its owner can access, and which is removed with its last reference.
final class TemporaryFile: Sendable {
    let url: URL

    init(_ body: FileBody) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("pledge-\(UUID().uuidString)")
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(writing: "a temporary file", errno) }
        let file = SystemFile(descriptor, named: "a temporary file")
        try body.forEachChunk { try file.writeAll($0) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
