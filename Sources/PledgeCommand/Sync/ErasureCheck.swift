import Foundation
import PledgeCoding
import PledgeFiles

/// `pledge forget --verify`: searches all bytes of files, and of those that belong to them, for texts.
struct ErasureCheck {
    private let texts: [String]
    private let paths: [String]
    private let terminal: Terminal

    init(_ texts: [String], in results: [String], _ database: String?, _ terminal: Terminal) throws {
        (self.texts, self.terminal) = (texts, terminal)
        let given = results + [database].compactMap(\.self)
        for path in given where !FileManager.default.fileExists(atPath: path) {
            throw UsageError("There is no \(path).")
        }
        let beside =
            results.map { $0 + RunRecord.suffix }
            + (database.map { path in ["-wal", "-shm", "-journal"].map { path + $0 } } ?? [])
        let unfinished = try given.flatMap { path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            return try OutputPath(path).temporaries.map { folder.appendingPathComponent($0).path }
        }
        paths = given + (beside + Set(unfinished).sorted()).filter(FileManager.default.fileExists)
    }

    func run() throws -> Int32 {
        var isLeft = false
        for path in paths {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
            for text in texts {
                let places = Set(Self.forms(of: text).flatMap { Self.places(of: $0, in: bytes) })
                guard let first = places.min() else { continue }
                isLeft = true
                let more = places.count > 1 ? ", and at \(NumberText.grouped(places.count - 1)) more" : ""
                try terminal.write("“\(text.onOneLine)” is left in \(path), at byte \(first)\(more).\n")
            }
        }
        if !isLeft { try terminal.write("Nothing of this is left in \(paths.joined(separator: ", ")).\n") }
        return isLeft ? 2 : 0
    }

    /// Returns the bytes of a text as encoded in a database and in JSON.
    private static func forms(of text: String) -> [[UInt8]] {
        var json = JSONText()
        json.append(quoted: text)
        return [Array(text.utf8), Array(json.takeBytes().dropFirst().dropLast())]
    }

    private static func places(of bytes: [UInt8], in data: Data) -> [Int] {
        data.withUnsafeBytes { data in
            var (places, start): ([Int], Int) = ([], 0)
            while let base = data.baseAddress, start + bytes.count <= data.count,
                let first = memchr(base + start, Int32(bytes[0]), data.count - bytes.count - start + 1)
            {
                start = base.distance(to: UnsafeRawPointer(first)) + 1
                if memcmp(first, bytes, bytes.count) == 0 { places.append(start - 1) }
            }
            return places
        }
    }
}
