import Foundation
import PledgeFiles

/// A body in a file of its own, which only its owner can access, and which is removed with its last reference; that of a
/// process that was killed, by the next one that makes such a file.
final class TemporaryFile: Sendable {
    let url: URL
    private let location: OutputPath
    private let name: String
    /// Locked while it is open: it is in use.
    private let file: SystemFile

    init(_ body: FileBody) throws {
        let folder = FileManager.default.temporaryDirectory
        location = try OutputPath(inFolderOf: folder.appendingPathComponent("body"))
        var generator = SystemRandomNumberGenerator()
        (file, name) = try location.makeTemporary(&generator)
        url = folder.appendingPathComponent(name)
        try body.forEachChunk { try file.writeAll($0) }
    }

    deinit { location.removeTemporary(name) }
}
