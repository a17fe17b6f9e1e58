import Foundation
import Pledge

/// Profiles on disk: a file each, for its owner alone, in `$XDG_CONFIG_HOME/pledge/`.
struct ProfileStore: Sendable {
    private let folder: String

    /// Nil where the environment names no place to keep them.
    init?(_ environment: [String: String]) {
        // A relative path there means nothing, says the specification.
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            folder = base + "/pledge"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            folder = home + "/.config/pledge"
        } else {
            return nil
        }
    }

    static func isName(_ text: String) -> Bool {
        let letters = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return letters && 1...64 ~= text.utf8.count
    }

    func path(of name: String) -> String { "\(folder)/\(name).json" }

    /// The names of all profiles, in order.
    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.filter(Self.isName).sorted()
    }

    /// Nil where there is no such profile.
    func load(_ name: String) throws -> Profile? {
        let path = path(of: name)
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw Failure("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Failure("\(path) holds tokens, and others may read it: “chmod 600 \(path)” keeps it yours.")
        }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Failure("\(path) cannot be read.")
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let profile = try? decoder.decode(Profile.self, from: bytes) else {
            throw Failure("\(path) is damaged: remove it, and sign in again with “pledge login”.")
        }
        return profile
    }

    /// Fails if the profile cannot be written, before it matters.
    func checkWritable(_ name: String) throws {
        try makeFolder()
        _ = try WholeFile(path(of: name))
    }

    /// To be called while the profile is locked.
    func save(_ profile: Profile, as name: String) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try WholeFile(path(of: name)).write(String(decoding: try encoder.encode(profile), as: UTF8.self) + "\n")
    }

    /// Changes a profile, or makes it, while no other process does.
    func update(_ name: String, _ change: (inout Profile) throws -> Void) throws {
        let lock = try lock(name)
        defer { lock.release() }
        var profile = try load(name) ?? Profile()
        try change(&profile)
        if profile.exist == nil, profile.mydatahelps == nil {
            guard unlink(path(of: name)) == 0 || errno == ENOENT else {
                throw Failure("\(path(of: name)) cannot be removed: \(String(cString: strerror(errno))).")
            }
            return
        }
        try save(profile, as: name)
    }

    /// Waits, on this thread, until no other process has the profile.
    func lock(_ name: String) throws -> FileLock {
        try makeFolder()
        return try FileLock("\(folder)/.\(name).lock")
    }

    private func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("\(folder), where profiles are kept, cannot be made.")
        }
    }
}

/// Holds a file for one process at a time; the system lets go of it when the process ends, however it does.
final class FileLock: Sendable {
    private let descriptor: Int32

    fileprivate init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure("\(path) cannot be written: \(String(cString: strerror(errno))).") }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                throw Failure("\(path) cannot be locked: \(String(cString: strerror(errno))).")
            }
        }
    }

    /// To be called once.
    func release() {
        close(descriptor)
    }
}
