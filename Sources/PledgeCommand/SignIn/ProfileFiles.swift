import Foundation
import PledgeFiles

/// Profiles as files that only their owner can access.
struct ProfileFiles: ProfileLocation {
    let folder: String

    func title(of name: String) -> String { "\(folder)/\(name).json" }

    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    }

    func read(_ name: String) throws -> Data? {
        do {
            let file = try OutputPath(title(of: name), isSecret: true).openFile(O_RDONLY)
            return Data(try file.read(file.length(), at: 0))
        } catch let error as FileError where error.code == ENOENT {
            return nil
        }
    }

    func checkWritable(_ name: String) throws {
        _ = try WholeFile(title(of: name), isSecret: true)
        try OutputPath(title(of: name)).removeAbandoned()
    }

    func write(_ bytes: Data, as name: String) throws {
        try WholeFile(title(of: name), isSecret: true).write(String(decoding: bytes, as: UTF8.self))
    }

    func remove(_ name: String) throws {
        let path = title(of: name)
        // A killed command may have left a temporary file with a token.
        try OutputPath(path).removeAbandoned()
        guard unlink(path) == 0 || errno == ENOENT else {
            throw Failure("\(path) cannot be removed: \(String(cString: strerror(errno))).")
        }
    }
}
