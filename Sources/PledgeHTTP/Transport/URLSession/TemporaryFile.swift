import Foundation
import PledgeFiles

/// A body in a file that only its owner can access. It is removed with its last reference or, if its process is killed,
/// by the next process that makes such a file.
final class TemporaryFile: Sendable {
    let url: URL
    private let location: OutputPath
    private let name: String
    /// The open file, which is locked as long as it is in use.
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
