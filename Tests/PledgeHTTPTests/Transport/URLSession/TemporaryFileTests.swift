import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("A body in a temporary file", .serialized)
struct TemporaryFileTests {
    @Test("is its owner's alone, goes with its last reference, and takes with it what a killed process left")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory
        let left = folder.appendingPathComponent(".pledge-\(UUID()).tmp")
        try Data("personal".utf8).write(to: left)
        defer { try? FileManager.default.removeItem(at: left) }

        let path: String
        do {
            let file = try TemporaryFile(FileBody(pieces: [.bytes(Data("one ".utf8)), .bytes(Data("two".utf8))]))
            path = file.url.path
            #expect(try String(contentsOf: file.url, encoding: .utf8) == "one two")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // Another that is made meanwhile leaves it alone.
            _ = try TemporaryFile(FileBody(pieces: []))
            #expect(FileManager.default.fileExists(atPath: path))
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: left.path))
    }
}
