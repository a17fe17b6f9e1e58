import Foundation

/// Profiles as files in a folder, accessible only to their owner.
struct ProfileFiles: ProfilePlace {
    let folder: String

    func title(of name: String) -> String { "\(folder)/\(name).json" }

    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    }

    func read(_ name: String) throws -> Data? {
        let path = title(of: name)
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw Failure("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Failure("\(path) contains tokens, and others can read it: run “chmod 600 \(path)”.")
        }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Failure("\(path) cannot be read.")
        }
        return bytes
    }

    func checkWritable(_ name: String) throws {
        _ = try WholeFile(title(of: name))
    }

    func write(_ bytes: Data, as name: String) throws {
        try WholeFile(title(of: name)).write(String(decoding: bytes, as: UTF8.self))
    }

    func remove(_ name: String) throws {
        let path = title(of: name)
        guard unlink(path) == 0 || errno == ENOENT else {
            throw Failure("\(path) cannot be removed: \(String(cString: strerror(errno))).")
        }
    }
}
