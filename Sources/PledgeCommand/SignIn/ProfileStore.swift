import Foundation
import Pledge
import PledgeFiles

/// The stored profiles: files in `$XDG_CONFIG_HOME/pledge/`, or Keychain items where there is a Keychain.
struct ProfileStore: Sendable {
    /// The folder of the lock files, and of profiles that are files.
    private let folder: String
    private let location: any ProfileLocation

    /// Creates a store; nil if the environment specifies no location for profiles.
    init?(_ environment: [String: String]) {
        // The XDG specification requires relative paths to be ignored.
        let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        guard let parent = base ?? home else { return nil }
        folder = parent + "/pledge"
        #if canImport(Security)
            // A user who specifies a folder wants files in it.
            let wantsFiles = base != nil || environment["PLEDGE_KEYCHAIN"] == "0"
            location = wantsFiles ? ProfileFiles(folder: folder) : ProfileKeychain()
        #else
            location = ProfileFiles(folder: folder)
        #endif
    }

    static func isName(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    func title(of name: String) -> String { location.title(of: name) }

    var names: [String] { get throws { try location.names.filter(Self.isName).sorted() } }

    func load(_ name: String) throws -> Profile? {
        guard let bytes = try location.read(name) else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        // Parsed twice, because the JSONDecoder of Swift 6.0 stops the process at a name that is not valid text.
        guard (try? JSONSerialization.jsonObject(with: bytes)) != nil,
            let profile = try? decoder.decode(Profile.self, from: bytes)
        else {
            throw Failure("\(title(of: name)) is damaged: remove it, and sign in again with “pledge login”.")
        }
        return profile
    }

    func checkWritable(_ name: String) throws { try location.checkWritable(name) }

    /// Stores a profile, which the caller must have locked.
    func save(_ profile: Profile, as name: String) throws {
        try location.write(Data(profile.prettyJSON().utf8), as: name)
    }

    /// Locks a profile, changes or creates it, and removes it if it has no accounts left.
    func update(_ name: String, _ change: (inout Profile) throws -> Void) throws {
        let lock = try lock(name)
        defer { lock.release() }
        var profile = try load(name) ?? Profile()
        try change(&profile)
        let isEmpty = profile.exist == nil && profile.mydatahelps == nil
        try isEmpty ? location.remove(name) : save(profile, as: name)
    }

    func remove(_ name: String) throws {
        let lock = try lock(name)
        defer { lock.release() }
        try location.remove(name)
    }

    /// Locks a profile, blocking the current thread while another process holds its lock.
    func lock(_ name: String) throws -> FileLock {
        try makeFolder()
        return try FileLock("\(folder)/.\(name).lock")
    }

    private func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("The folder for profiles, \(folder), cannot be created: \(error.localizedDescription)")
        }
    }
}
