import Foundation

/// A body in a file of its own, which only its owner can access, and which is removed with its last reference.
final class TemporaryFile: Sendable {
    let url: URL

    init(_ body: FileBody) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("pledge-\(UUID().uuidString)")
        let file = try PartialFile(for: url)
        try body.forEachChunk { chunk in try chunk.withUnsafeBytes { try file.append($0) } }
        try file.complete()
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
